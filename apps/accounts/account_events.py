"""Record in the audit log what people do with their own account."""

from datetime import datetime

from apps.accounts.models import User
from apps.audit import recording
from apps.audit.recording import Actor, EventType


def record(event: EventType, user: User, *, at: datetime) -> None:
    """Record an event about an account, with its owner as the actor."""
    recording.record(event, actor=Actor.user(user.pk), at=at, user_id=user.pk, subject="user", subject_id=str(user.pk))
