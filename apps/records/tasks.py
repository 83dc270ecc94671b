"""Syncing in the background. A message says that something waits, not what: all state is in rows, so a lost message
loses no run, and a free worker takes the most urgent run, whichever message it received."""

from contextlib import suppress
from itertools import chain

from celery import shared_task
from django.db import transaction

from apps.connections import clocks
from apps.records import announcing, shelving, syncing
from apps.records.models import SyncRun
from apps.records.syncing import due, pruning
from apps.records.syncing.workers import leasing

# With one beat a minute, this is 720,000 a day; what is left over is older at the next beat, and comes first.
_AT_ONCE = 500
# Soon after the next beat, which asks again for what nobody began: so messages never pile up. The sender's clock sets
# the expiry and the worker's clock checks it, so their difference may be some minutes.
_EXPIRES_SECONDS = 300


@shared_task(name="apps.records.tasks.sync_next")
def sync_next() -> None:
    """Take the most urgent run as far as it goes. Where there was one, there may be another: send a message for that as
    well."""
    if syncing.advance_next(at=clocks.now()):
        _send()


def enqueue() -> None:
    """Begin what was just opened, once it is committed. To be called by edges. If the queue is down, the next beat
    begins it."""
    transaction.on_commit(_send, robust=True)


@shared_task(name="apps.records.tasks.resume_syncs")
def resume_syncs() -> None:
    """Send messages for runs that nobody holds: never begun, left behind by a worker that died, or paused long
    enough."""
    for _run_id in leasing.resumable().values_list("pk")[:_AT_ONCE]:
        _send()


@shared_task(name="apps.records.tasks.start_due_syncs")
def start_due_syncs() -> None:
    """Open and enqueue a run for every connection that is due, leaving out those that ended meanwhile."""
    now = clocks.now()
    waiting = (due.due_before_an_end(now), due.reauthorized(now), due.due_for_sync(now))
    for connection in chain.from_iterable(rows[:_AT_ONCE] for rows in waiting):
        with suppress(syncing.NotSyncable):
            syncing.start(connection, cause=SyncRun.Cause.SCHEDULE, at=now)
            enqueue()


@shared_task(name="apps.records.tasks.renew_shelves")
def renew_shelves() -> None:
    """Rebuild shelves of an earlier release, for a few connections."""
    shelving.renew_some(at=clocks.now())


@shared_task(name="apps.records.tasks.tell_of_news")
def tell_of_news() -> None:
    """Send mail to those whose record has something new, if they chose that."""
    announcing.tell(at=clocks.now())


@shared_task(name="apps.records.tasks.prune_runs")
def prune_runs() -> None:
    """Delete old runs that nothing needs any more."""
    pruning.prune(at=clocks.now())


def _send() -> None:
    sync_next.apply_async(expires=_EXPIRES_SECONDS)
