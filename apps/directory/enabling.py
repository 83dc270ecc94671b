"""Which organizations have enabled our application, as their responses show.

Each tenant of a SMART deployment decides for itself, and nobody tells us (interface facts 3.1, section 8). A refusal
keeps patients away for a while; then somebody's attempt tests it, and a success ends it.
"""

from datetime import datetime, timedelta

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import pinning, registering, registration_overview, trusting
from apps.directory.models import ClientRegistration, Enablement, Endpoint
from apps.wire.dialects import Interface

_LINKING = Actor.system("linking")
TRY_AGAIN_AFTER = timedelta(minutes=15)  # the time in which a change reaches every server (facts, section 8)


class NotBeside(Exception):
    """The endpoint's authorization server is unknown, or has origins that the registration does not know."""


class Unsuited(NotBeside):
    """The registration is rejected or retired, or of another interface, or one of the two is the sandbox's."""


def check_beside(registration: ClientRegistration, endpoint: Endpoint) -> None:
    """Raises NotBeside or Unsuited if the registration may not serve this endpoint."""
    own = endpoint.authorization_server
    if own is None or not pinning.knows(registration, own):
        raise NotBeside
    is_smart = registration_overview.kind(registration) is registration_overview.Kind.CONSOLE
    is_alike = is_smart == (endpoint.interface == Interface.SMART) and registration.is_sandbox == endpoint.is_sandbox
    if registration.status in registering.OVER or not is_alike:
        raise Unsuited


def serve(registration: ClientRegistration, endpoint: Endpoint, *, actor: Actor, at: datetime) -> Enablement:
    """Let a registration serve an endpoint of another organization in the same deployment; a stranger, once staff have
    switched it on. Calling it again changes nothing. Raises NotBeside."""
    with transaction.atomic():
        served = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
        check_beside(registration, served)
        row, is_new = Enablement.objects.get_or_create(
            registration=registration, endpoint=endpoint, defaults={"since_at": at}
        )
        if is_new:
            trusting.estrange_beside(served, registration, at=at)
            served.save(update_fields=trusting.COLUMNS)
            _record(row, "serves", actor=actor, at=at)
    return row


def refused(registration: ClientRegistration, endpoint: Endpoint, *, is_certain: bool, at: datetime) -> bool:
    """Record that the organization behind this endpoint has not enabled us. True if staff were not told yet: the caller
    tells them, once for each time that it was turned off.

    `is_certain` if the server said so explicitly. Any other refusal may concern a single code, which anybody can forge
    in a browser: it keeps nobody else away.
    """
    with transaction.atomic():
        row, is_new = Enablement.objects.get_or_create(
            registration=registration, endpoint=endpoint, defaults={"is_enabled": False, "since_at": at}
        )
        row = Enablement.objects.select_for_update().get(pk=row.pk)
        if row.is_enabled:
            row.is_enabled, row.since_at = False, at
            is_new = True
        is_news = row.staff_told_at is None
        row.refused_at = at if is_certain else row.refused_at
        row.staff_told_at = row.staff_told_at or at
        row.save(update_fields=["is_enabled", "since_at", "refused_at", "staff_told_at"])
        if is_new:
            _record(row, "not enabled", actor=_LINKING, at=at)
    return is_news


def answered(registration: ClientRegistration, endpoint: Endpoint, *, has_data: bool = True, at: datetime) -> None:
    """Record that the organization accepts us: earlier refusals are over. Cheap if there were none.

    Without data, only tokens were issued, which ends only explicit refusals: an organization may issue tokens to
    everybody and refuse data.
    """
    rows = Enablement.objects.filter(registration=registration, endpoint=endpoint, is_enabled=False)
    if not has_data:
        rows = rows.filter(refused_at__isnull=False)
    if not rows.exists():
        return
    with transaction.atomic():
        for row in rows.select_for_update():
            row.is_enabled, row.since_at, row.refused_at, row.staff_told_at = True, at, None, None
            row.save(update_fields=["is_enabled", "since_at", "refused_at", "staff_told_at"])
            _record(row, "enabled", actor=_LINKING, at=at)


def is_refusing(registration: ClientRegistration, endpoint: Endpoint, *, at: datetime) -> bool:
    """Whether it is too early to try again. Uses prefetched rows if there are any."""
    row = next((row for row in endpoint.enablements.all() if row.registration_id == registration.pk), None)
    if row is None or row.is_enabled or row.refused_at is None:
        return False
    return at < row.refused_at + TRY_AGAIN_AFTER


def _record(row: Enablement, action: str, *, actor: Actor, at: datetime) -> None:
    recording.record(
        EventType.REGISTRATION_CHANGED,
        actor=actor,
        at=at,
        subject="client registration",
        subject_id=str(row.registration_id),
        facts={Fact.ACTION: action, Fact.ENDPOINT_ID: str(row.endpoint_id)},
    )
