"""A check that the patient asks for: it starts at once, unless the last one was complete and ended moments ago."""

from datetime import datetime, timedelta

from apps.connections.models import Connection
from apps.connections.presenting import standing
from apps.records.models import SyncRun
from apps.records.syncing import running

# After a complete check, nothing is requested again sooner: asking a provider too often slows everybody down.
LEAST = timedelta(minutes=5)


class Stopped(Exception):
    """No requests go to this provider now: staff switched it off, or have to fix something first."""


class TooSoon(Exception):
    """The last check, moments ago, was complete; ask again at `again_at`."""

    def __init__(self, again_at: datetime) -> None:
        super().__init__(self.__doc__)
        self.again_at = again_at


def check_again(connection: Connection, *, at: datetime) -> SyncRun:
    """Open a run, or find the one that is open; the caller enqueues it. Raises Stopped, TooSoon and
    `running.NotSyncable`."""
    if standing.is_stopped(connection):
        raise Stopped
    believed = connection.sync_runs.filter(created_at__lte=at + LEAST)
    latest = believed.order_by("-created_at").first()
    if latest is not None and latest.outcome == SyncRun.Outcome.COMPLETE and latest.finished_at is not None:
        again_at = latest.finished_at + LEAST
        if again_at - 2 * LEAST <= at < again_at:  # if a clock was far ahead, nobody waits for the time it wrote down
            raise TooSoon(again_at)
    return running.start(connection, cause=SyncRun.Cause.PATIENT, at=at)
