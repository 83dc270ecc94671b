"""Syncing in the background. Tasks carry identifiers only; every truth is in rows, so a lost message loses no run."""

from contextlib import suppress
from uuid import UUID

from celery import shared_task
from django.db import transaction
from django.utils import timezone

from apps.records import due, leasing, syncing
from apps.records.models import SyncRun

# One beat a minute pulls this many, 720,000 a day; what is left over is as old then, and comes first.
_AT_ONCE = 500
_EXPIRES_SECONDS = 60  # until the next beat, which asks again for what nobody began: messages never pile up


@shared_task(name="apps.records.tasks.sync_connection")
def sync_connection(*, run_id: str) -> None:
    """Take one sync run as far as it goes."""
    syncing.advance(UUID(run_id), at=timezone.now())


def enqueue(run: SyncRun) -> None:
    """Begin a run once it is committed. For edges. Where the queue does not answer, the next beat begins it."""
    run_id = run.pk
    transaction.on_commit(lambda: _send(run_id), robust=True)


@shared_task(name="apps.records.tasks.resume_syncs")
def resume_syncs() -> None:
    """Enqueue runs that nobody holds: never begun, left behind by a worker that died, or paused long enough."""
    for run_id in leasing.resumable().order_by("created_at").values_list("pk", flat=True)[:_AT_ONCE]:
        _send(run_id)


@shared_task(name="apps.records.tasks.start_due_syncs")
def start_due_syncs() -> None:
    """Open and enqueue a run for every connection that is due; one that ended meanwhile is left out."""
    now = timezone.now()
    for connection in due.due_for_sync(now)[:_AT_ONCE]:
        with suppress(syncing.NotSyncable):
            enqueue(syncing.start(connection, cause=SyncRun.Cause.SCHEDULE, at=now))


def _send(run_id: UUID) -> None:
    sync_connection.apply_async(kwargs={"run_id": str(run_id)}, expires=_EXPIRES_SECONDS)
