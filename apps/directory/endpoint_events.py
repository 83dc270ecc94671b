"""Record audit events about an endpoint."""

from datetime import datetime
from uuid import UUID

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact


def note_endpoint(endpoint_id: UUID, action: str, *, actor: Actor, at: datetime) -> None:
    """Record one event. `action` is a constant such as "switched off"."""
    recording.record(
        EventType.DIRECTORY_CHANGED,
        actor=actor,
        at=at,
        subject="endpoint",
        subject_id=str(endpoint_id),
        facts={Fact.ACTION: action},
    )
