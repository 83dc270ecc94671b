"""For tests of what is new: what came since somebody last looked, according to checks and the audit log."""

from datetime import datetime

from django.utils import timezone

from apps.accounts.models import User
from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections.models import Connection
from apps.records.models import Record, SyncRun, SyncStep


def looked(user: User, *, at: datetime) -> None:
    """They looked at their record then."""
    recording.record(EventType.RECORD_VIEWED, actor=Actor.user(user.pk), at=at, user_id=user.pk)


def checked(connection: Connection, *, changed: int, at: datetime, resource_type: str = "Observation") -> None:
    """A check that changed so many results, or others."""
    run = SyncRun.objects.create(
        user=connection.user, connection=connection, cause="clock", outcome="complete", created_at=at, finished_at=at
    )
    SyncStep.objects.create(
        run=run,
        user=connection.user,
        resource_type=resource_type,
        status="complete",
        rows_kept=changed,
        rows_changed=changed,
        finished_at=at,
    )


def all_came_now() -> None:
    """Every entry that is kept is new."""
    Record.objects.update(received_at=timezone.now(), first_received_at=timezone.now())
