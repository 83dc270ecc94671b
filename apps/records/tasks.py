"""Syncing in the background. A message says that something waits, not what: every truth is in rows, so that a lost
message loses no run, and whoever is free takes what waits most urgently, whosever message it was.
"""

from contextlib import suppress
from itertools import chain

from celery import shared_task
from django.db import transaction

from apps.connections import clocks
from apps.records import announcing, shelving, syncing
from apps.records.models import SyncRun
from apps.records.syncing import due, pruning
from apps.records.syncing.working import leasing

# One beat a minute pulls this many, 720,000 a day; what is left over is as old then, and comes first.
_AT_ONCE = 500
# Not long after the next beat, which asks again for what nobody began: messages never pile up. Who sends one writes the
# moment and a worker judges it, so that a clock may be some minutes ahead.
_EXPIRES_SECONDS = 300


@shared_task(name="apps.records.tasks.sync_next")
def sync_next() -> None:
    """Take the most urgent run as far as it goes. Where there was one there may be another: ask for it too."""
    if syncing.advance_next(at=clocks.now()):
        _send()


def enqueue() -> None:
    """Begin what was just opened, once it is committed. For edges. Without the queue, the next beat begins it."""
    transaction.on_commit(_send, robust=True)


@shared_task(name="apps.records.tasks.resume_syncs")
def resume_syncs() -> None:
    """Ask for work on runs that nobody holds: never begun, left behind by a worker that died, or paused long enough."""
    for _run_id in leasing.resumable().values_list("pk")[:_AT_ONCE]:
        _send()


@shared_task(name="apps.records.tasks.start_due_syncs")
def start_due_syncs() -> None:
    """Open and enqueue a run for every connection that is due; one that ended meanwhile is left out."""
    now = clocks.now()
    waiting = (due.due_before_an_end(now), due.renewed(now), due.due_for_sync(now))
    for connection in chain.from_iterable(rows[:_AT_ONCE] for rows in waiting):
        with suppress(syncing.NotSyncable):
            syncing.start(connection, cause=SyncRun.Cause.SCHEDULE, at=now)
            enqueue()


@shared_task(name="apps.records.tasks.renew_shelves")
def renew_shelves() -> None:
    """Build anew what an earlier release built, of a few connections."""
    shelving.renew_some(at=clocks.now())


@shared_task(name="apps.records.tasks.tell_of_news")
def tell_of_news() -> None:
    """Mail those whose record has something new, where they chose so."""
    announcing.tell(at=clocks.now())


@shared_task(name="apps.records.tasks.prune_runs")
def prune_runs() -> None:
    """Delete old runs that nothing needs any more."""
    pruning.prune(at=clocks.now())


def _send() -> None:
    sync_next.apply_async(expires=_EXPIRES_SECONDS)
