"""How a connection ended whose row is gone. The audit log still knows, for its own user only."""

from enum import StrEnum
from uuid import UUID

from apps.audit.models import AuditEvent, EventType


class Ending(StrEnum):
    """How a connection ended."""

    EXPIRED = "expired"  # not confirmed within 30 minutes
    DECLINED = "declined"  # not the right person
    DISCONNECTED = "disconnected"  # confirmed once, and deleted with its copy
    REAUTHORIZED = "reauthorized"  # the person was connected already: that connection goes on


_ENDINGS = {
    EventType.CONNECTION_EXPIRED.value: Ending.EXPIRED,
    EventType.CONNECTION_DECLINED.value: Ending.DECLINED,
    EventType.CONNECTION_DISCONNECTED.value: Ending.DISCONNECTED,
}


def how_it_ended(*, user_id: UUID, connection_id: UUID) -> Ending | None:
    """How this user's connection ended; None if they never had one with that id."""
    events = AuditEvent.objects.filter(user_id=user_id, subject="connection", subject_id=str(connection_id))
    happened = set(events.values_list("event", flat=True))
    if not happened:
        return None
    return next((how for event, how in _ENDINGS.items() if event in happened), Ending.REAUTHORIZED)
