"""What we ask a provider for, why, and how long the permission lasts: the content of the page "before you go", as
data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from apps.connections.grants import kinds, scoping
from apps.connections.models import Connection, StoredTokenSet
from apps.directory import linkability, reaching, registering, versions
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Endpoint, Provider
from apps.wire import scopes
from apps.wire.dialects import Interface
from apps.wire.errors import WireError

RefreshScope = ClientRegistration.RefreshScope


@dataclass(frozen=True)
class PermissionTerms:
    """`host` is where the patient will sign in; `asked_for` are sentences; `kinds` are the kinds of entries requested
    by name, none if the interface has no scopes; `lasts` says for how long."""

    host: str
    version: versions.VersionWords
    asked_for: Sequence[str]
    kinds: Sequence[str]
    lasts: str


class _Limit(NamedTuple):
    """A limit beyond which a connection cannot continue: as a sentence of its own, and as an answer to how long it
    lasts."""

    sentence: str
    answer: str


def for_endpoint(endpoint: Endpoint, provider: Provider, *, at: datetime) -> PermissionTerms | Obstacle:
    """What would be asked for, or why nothing can be."""
    obstacle = linkability.obstacle(endpoint, provider=provider, at=at)
    registration = registering.standing_at(endpoint)
    if obstacle is not None or registration is None:
        return obstacle or Obstacle.NO_REGISTRATION
    server = reaching.authorization_server(endpoint, registration)
    try:
        scope = scoping.to_ask(endpoint, registration, server, is_launched=False)
    except WireError:
        return Obstacle.NO_ADDRESSES
    return PermissionTerms(
        host=urlsplit(server.authorize_url).netloc,
        version=versions.words(endpoint.fhir_version),
        asked_for=(
            _("To read your record there. We never change anything in it."),
            _("First your name, birth date, contact details and language, to show whose record it is."),
            _("To keep reading for as long as the permission lasts, so that new entries reach you."),
        ),
        kinds=kinds.names(scopes.readable_types(scope.split()) or ()),
        lasts=lasts(endpoint, registration, provider),
    )


def lasts(endpoint: Endpoint, registration: ClientRegistration, provider: Provider) -> str:
    """How long a permission lasts there, as an answer."""
    return _lasts(endpoint, registration, provider, ends_then=registration.rotates_refresh_tokens is False)


def _lasts(endpoint: Endpoint, registration: ClientRegistration, provider: Provider, *, ends_then: bool) -> str:
    """`ends_then`: at the provider's limit the permission ends, because nothing that we do prolongs it."""
    hours = reaching.dialect(endpoint, registration).refresh_window_hours
    if hours is not None and ends_then:
        said = _(
            "{hours} hours. Then you sign in again, because {provider} does not let us renew it. We remind you in "
            "time. You can end it here at any time."
        )
        return said.format(hours=hours, provider=provider.name)
    if hours is not None:
        return _("{hours} hours unless we can renew it. You can end it here at any time.").format(hours=hours)
    refresh_scope = scoping.refresh_scope(registration)
    if endpoint.interface == Interface.SMART and not refresh_scope:
        return _a_few_minutes().answer
    if refresh_scope == RefreshScope.ONLINE:
        return _while_signed_in().answer
    return _("Until you end it, here or at {provider}.").format(provider=provider.name)


def lasts_for(connection: Connection) -> str:
    """How long a connection's permission lasts, as an answer; empty if this release does not know. A connection that
    existed before another one showed that the provider never renews is tried once more, and its answer does not change
    until then."""
    endpoint, registration = connection.endpoint, connection.registration
    if not reaching.is_known(endpoint, registration):
        return ""
    limited = _limit(connection)
    if limited is not None:
        return limited.answer
    return _lasts(endpoint, registration, connection.provider, ends_then=connection.lapses_at is not None)


def limit(connection: Connection) -> str:
    """A sentence, if a connection cannot continue by itself; empty if it can, or has no tokens. Decided by what was
    granted, not by what was asked for."""
    limited = _limit(connection)
    return limited.sentence if limited is not None else ""


def _limit(connection: Connection) -> _Limit | None:
    stored: StoredTokenSet | None = getattr(connection, "stored_token_set", None)
    if stored is None:
        return None
    if not stored.is_refreshable:
        return _a_few_minutes()
    return _while_signed_in() if is_session_bound(connection) else None


def is_session_bound(connection: Connection) -> bool:
    """Whether it ends with the session at the provider, according to the granted scopes (specification 5.2.3)."""
    granted = connection.granted_scope.split()
    return RefreshScope.ONLINE in granted and RefreshScope.OFFLINE not in granted


def _a_few_minutes() -> _Limit:
    return _Limit(
        _("It lasts a few minutes, long enough to copy what is there now. To get updates, you sign in again."),
        _("A few minutes, long enough to copy what is there now. To get updates, you sign in again."),
    )


def _while_signed_in() -> _Limit:
    return _Limit(
        _("It lasts while you are signed in there. After that, you sign in again whenever you want updates."),
        _("While you are signed in there. After that, you sign in again whenever you want updates."),
    )
