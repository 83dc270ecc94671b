"""What became of a link whose row is gone. The audit log still tells its own user."""

from enum import StrEnum
from uuid import UUID

from apps.audit.models import AuditEvent, EventType


class Ending(StrEnum):
    """How it ended."""

    EXPIRED = "expired"  # nobody answered within 30 minutes
    DECLINED = "declined"  # not the right person
    DISCONNECTED = "disconnected"  # confirmed once, and ended with its copy
    RENEWED = "renewed"  # it was somebody already connected: that connection holds


_ENDINGS = {
    EventType.CONNECTION_EXPIRED.value: Ending.EXPIRED,
    EventType.CONNECTION_DECLINED.value: Ending.DECLINED,
    EventType.CONNECTION_DISCONNECTED.value: Ending.DISCONNECTED,
}


def how_it_ended(*, user_id: UUID, connection_id: UUID) -> Ending | None:
    """How this user's link ended; None where they never had one of that id."""
    events = AuditEvent.objects.filter(user_id=user_id, subject="connection", subject_id=str(connection_id))
    happened = set(events.values_list("event", flat=True))
    if not happened:
        return None
    return next((how for event, how in _ENDINGS.items() if event in happened), Ending.RENEWED)
