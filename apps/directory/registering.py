"""Our registration at an authorization server: from the request at its developer portal to approval and retirement.

Every change is audited and made under a lock on the row (`registration_changes`). Each transition stores its date.
Raises StatusNotAllowed if the table of moves forbids the step.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from apps.audit.recording import Actor, EventType
from apps.directory import credentials, labeling, pinning, registration_changes
from apps.directory.models import (
    AuthorizationServer,
    ClientRegistration,
    Enablement,
    Endpoint,
    SigningKey,
    SystemAccount,
)
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import Dialect, FhirVersion, Interface
from apps.wire.secret import Secret

Status = ClientRegistration.Status
RefreshScope = ClientRegistration.RefreshScope
SmartVersion = ClientRegistration.SmartVersion

OVER = frozenset({Status.REJECTED, Status.RETIRED})
TRY_AGAIN_AFTER = timedelta(minutes=15)  # how long trouble keeps patients away before it is tested
UNSEEN_FOR = timedelta(days=1)  # without rotation, before a server that rotated counts as one that does not


class StatusNotAllowed(Exception):
    """The client registration's status does not allow this transition."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What was chosen when the application was registered. None leaves a column unchanged."""

    authentication: Authentication | None = None
    signing_key: SigningKey | None = None
    key_set_is_fetched: bool | None = None
    smart_version: str | None = None  # of SmartVersion
    refresh_scope: str | None = None  # of RefreshScope, or empty for none
    asks_identity: bool | None = None
    prompts_for_consent: bool | None = None
    # What the portal or console knows about us (interface facts, section 8).
    developer_email: str | None = None
    application_name: str | None = None
    application_id: str | None = None
    desk_url: str | None = None
    support_contact: str | None = None
    system_account: SystemAccount | None = None
    system_authentication: str | None = None  # of Authentication, or empty for the usual
    secret_rotation_due_date: date | None = None


def redirect_uri(registration: ClientRegistration) -> str:
    """The redirect URI to register: our configured origin and an id that never changes, nothing from a request
    (interface facts, section 6, rows 7 and 8)."""
    return f"{settings.SITE_ORIGIN}/connect/return/{registration.redirect_id}/"


def launch_url(registration: ClientRegistration) -> str:
    """The URL for EHR launches from a provider's own portal, to register beside the redirect URI."""
    return f"{settings.SITE_ORIGIN}/connect/launch/{registration.launch_id}/"


def standing(server: AuthorizationServer) -> ClientRegistration | None:
    """The one registration that is neither rejected nor retired. Uses prefetched rows if there are any."""
    return next((row for row in server.registrations.all() if row.status not in OVER), None)


def is_relied_on(server: AuthorizationServer, *, besides: ClientRegistration | None = None) -> bool:
    """Whether patients sign in there with a registration of ours other than `besides`: one made for this server, or one
    of the same deployment that serves an endpoint of it."""
    own = standing(server)
    named = Enablement.objects.filter(endpoint__authorization_server=server).exclude(registration=besides)
    return own not in {None, besides} or named.exclude(registration__status__in=OVER).exists()


def standing_at(endpoint: Endpoint) -> ClientRegistration | None:
    """The registration that serves this endpoint: that of its own authorization server; otherwise one that an
    enablement names, provided that it knows the origins (`pinning`). Uses prefetched rows if there are any."""
    server = endpoint.authorization_server
    if server is None:
        return None
    own = standing(server)
    return own if own is not None else _standing_beside(endpoint, server)


def enablements() -> QuerySet[Enablement]:
    """With what tells which registration serves, of many endpoints at once."""
    rows = Enablement.objects.select_related("registration__authorization_server")
    return rows.prefetch_related("registration__known_origins")


def request(server: AuthorizationServer, *, dialect: Dialect, actor: Actor, at: datetime) -> ClientRegistration:
    """The standing registration, or a new one with status "requested", with values from the dialect and the server."""
    with transaction.atomic():
        server = AuthorizationServer.objects.select_for_update().get(pk=server.pk)
        registration = standing(server)
        if registration is not None:
            return registration
        registration = ClientRegistration.objects.create(
            authorization_server=server,
            label=labeling.label_for(server),
            authentication=dialect.authentication.value,
            uses_pkce=dialect.uses_pkce,
            smart_version=SmartVersion.V2 if "permission-v2" in server.capabilities else SmartVersion.V1,
            refresh_scope=RefreshScope.OFFLINE if dialect.interface is Interface.SMART else "",
            asks_identity="sso-openid-connect" in server.capabilities,
            requested_at=at,
            is_sandbox=server.is_sandbox,
        )
        registration_changes.note(registration, "requested", actor=actor, at=at)
    return registration


def store_credentials(
    registration: ClientRegistration, *, client_id: str, secret: Secret | None, actor: Actor, at: datetime
) -> None:
    """Store what the developer portal issued. A requested registration becomes provisional: it has credentials, but is
    not active yet."""
    with registration_changes.locked(registration) as row:
        row.client_id = client_id
        row.save(update_fields=["client_id"])
        if secret is not None:
            credentials.keep(row, secret, at=at)
            registration_changes.note(
                row, "secret stored", actor=actor, at=at, event=EventType.REGISTRATION_SECRET_CHANGED
            )
        if row.status == Status.REQUESTED:
            _move(row, Status.PROVISIONAL, at=at)
        _clear_trouble(row)
        registration_changes.note(row, "credentials stored", actor=actor, at=at)


def set_terms(registration: ClientRegistration, terms: Terms, *, actor: Actor, at: datetime) -> None:
    """Store how we authenticate there, what we ask for, and what they know about us. Raises ValidationError for invalid
    values, such as a URL that is none."""
    chosen = {column.name: getattr(terms, column.name) for column in fields(terms)}
    with registration_changes.locked(registration) as row:
        changed = [name for name, value in chosen.items() if value not in {None, getattr(row, name)}]
        for name in changed:
            setattr(row, name, chosen[name])
        if changed:
            row.clean_fields(exclude={field.name for field in row._meta.fields} - set(changed))  # noqa: SLF001 - public
            row.save(update_fields=changed)
            registration_changes.note_columns(row, "terms set", changed, actor=actor, at=at)


def move(registration: ClientRegistration, status: str, *, actor: Actor, at: datetime) -> None:
    """Approve, reject or retire, as the table of moves allows. Raises StatusNotAllowed."""
    with registration_changes.locked(registration) as row:
        before = row.status
        _move(row, status, at=at)
        registration_changes.note(row, "moved", actor=actor, at=at, before=before)


def approve(registration: ClientRegistration, *, actor: Actor, at: datetime) -> None:
    """Approve; does nothing if it is approved already."""
    if registration.status != Status.APPROVED:
        move(registration, Status.APPROVED, actor=actor, at=at)


def set_versions(
    registration: ClientRegistration, versions: Collection[FhirVersion], *, actor: Actor, at: datetime
) -> None:
    """Which API versions were added to the application at the portal (specification 1.2)."""
    with registration_changes.locked(registration) as row:
        row.versions_added = sorted(version.value for version in versions)
        row.save(update_fields=["versions_added"])
        registration_changes.note(row, "versions set", actor=actor, at=at)


def mark_trouble(registration: ClientRegistration, code: str, *, at: datetime) -> None:
    """The server does not accept our registration: nobody is sent there for a while. Patients' tokens stay."""
    with registration_changes.locked(registration) as row:
        is_news = row.trouble != code
        row.trouble_seen_at = at
        if is_news:
            row.trouble, row.trouble_at = code, at
            registration_changes.note(row, "trouble", actor=Actor.system("linking"), at=at, code=code)
        row.save(update_fields=["trouble", "trouble_at", "trouble_seen_at"])


def is_in_trouble(registration: ClientRegistration, *, at: datetime) -> bool:
    """Whether nobody should be sent there now. Some time after the trouble was last seen, somebody's attempt tests
    whether it is over: it may have been a short outage, and staff need not be asked."""
    until = again_at(registration)
    return bool(registration.trouble) and (until is None or at < until)


def again_at(registration: ClientRegistration) -> datetime | None:
    """When it is tested whether the trouble is over; None if there is none, or if it is unknown since when."""
    seen_at = registration.trouble_seen_at or registration.trouble_at
    return seen_at + TRY_AGAIN_AFTER if registration.trouble and seen_at else None


def accepted(registration: ClientRegistration, *, at: datetime) -> None:
    """The token endpoint accepted our credentials: trouble is over. Costs nothing if there was none."""
    if registration.trouble:
        clear_trouble(registration, actor=Actor.system("linking"), at=at)


def note_rotation(registration: ClientRegistration, *, rotates: bool, at: datetime) -> None:
    """Record what a refresh showed: whether the server rotates refresh tokens. Costs nothing if that was known.

    If it rotates only sometimes, it counts as rotating for a day after each time, because a refresh token may have been
    invalidated.
    """
    known, seen_at = registration.rotates_refresh_tokens, registration.rotation_seen_at
    if rotates == known or (known and seen_at is not None and at < seen_at + UNSEEN_FOR):
        return
    ClientRegistration.objects.filter(pk=registration.pk, rotates_refresh_tokens=known).update(
        rotates_refresh_tokens=rotates, rotation_seen_at=at
    )
    registration.rotates_refresh_tokens, registration.rotation_seen_at = rotates, at


def clear_trouble(registration: ClientRegistration, *, actor: Actor, at: datetime) -> None:
    """Staff fixed it, or the server accepted us again."""
    with registration_changes.locked(registration) as row:
        if _clear_trouble(row):
            registration_changes.note(row, "trouble cleared", actor=actor, at=at)


def _standing_beside(endpoint: Endpoint, server: AuthorizationServer) -> ClientRegistration | None:
    """The latest, if there are several."""
    rows = sorted(endpoint.enablements.all(), key=lambda enablement: enablement.since_at, reverse=True)
    for registration in (row.registration for row in rows):
        if registration.status not in OVER and pinning.knows(registration, server):
            return registration
    return None


def _move(row: ClientRegistration, status: str, *, at: datetime) -> None:
    if status not in ClientRegistration.MOVES[Status(row.status)]:
        raise StatusNotAllowed
    row.status = status
    setattr(row, f"{Status(status).value}_at", at)
    row.save(update_fields=["status", f"{Status(status).value}_at"])


def _clear_trouble(row: ClientRegistration) -> bool:
    if not row.trouble:
        return False
    row.trouble, row.trouble_at, row.trouble_seen_at = "", None, None
    row.save(update_fields=["trouble", "trouble_at", "trouble_seen_at"])
    return True
