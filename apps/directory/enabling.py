"""Which organizations have turned our application on, as their answers tell us.

Each tenant of a SMART deployment decides for itself, and nobody tells us when one does (interface facts 3.1, section
8). A refusal keeps patients away for a while; then somebody's attempt finds out, and an answer heals it.
"""

from datetime import datetime, timedelta

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import pinning, registering, registration_overview, trusting
from apps.directory.models import ClientRegistration, Enablement, Endpoint
from apps.wire.dialects import Interface

_LINKING = Actor.system("linking")
TRY_AGAIN_AFTER = timedelta(minutes=15)  # about what a change takes to reach every server (interface facts, section 8)


class NotBeside(Exception):
    """The endpoint's authorization server is not known, or has origins that the registration does not know."""


class Unsuited(NotBeside):
    """The registration stands no more, or is of another interface, or one of the two is the sandbox's."""


def check_beside(registration: ClientRegistration, endpoint: Endpoint) -> None:
    """Raises NotBeside or Unsuited where the registration may not serve this endpoint."""
    own = endpoint.authorization_server
    if own is None or not pinning.knows(registration, own):
        raise NotBeside
    is_smart = registration_overview.kind(registration) is registration_overview.Kind.CONSOLE
    is_alike = is_smart == (endpoint.interface == Interface.SMART) and registration.is_sandbox == endpoint.is_sandbox
    if registration.status in registering.OVER or not is_alike:
        raise Unsuited


def serve(registration: ClientRegistration, endpoint: Endpoint, *, actor: Actor, at: datetime) -> Enablement:
    """Let a registration serve an endpoint of a neighbouring organization: of a stranger, once staff switched it on.
    Twice is as once. Raises NotBeside."""
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
    """Note that the organization behind this endpoint has not enabled us. True where staff were not told yet: the
    caller tells them, once for each time it was turned off.

    `is_certain` where the server said so in a word. A refusal without a word may be about one code, which whoever holds
    a browser can make up: it keeps nobody else away.
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
    """Note that they let us in: whatever was refused before is over. Cheap where nothing was.

    Without data only tokens came, and what is over is what was refused in a word: an organization may give tokens to
    everybody and refuse at its data.
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
    """Whether nobody needs to try now. Uses prefetched rows where there are some."""
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
