"""Write into the log what people do with their own account."""

from datetime import datetime

from apps.accounts.models import User
from apps.audit import recording
from apps.audit.recording import Actor, EventType


def note(event: EventType, user: User, *, at: datetime) -> None:
    """One event about an account, done by the person it belongs to."""
    recording.record(event, actor=Actor.user(user.pk), at=at, user_id=user.pk, subject="user", subject_id=str(user.pk))
