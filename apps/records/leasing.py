"""Who works on a sync run: one worker at a time, by conditional updates on the database's clock.

A claim holds for a lease that every stored page extends. A worker that dies lets its lease expire, and another resumes
where the stored cursors stand; a worker that was only slow finds its claim gone before it can write anything more.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from apps.connections.models import Connection
from apps.records.models import SyncRun

# One page: a request of at most 30 s, perhaps a refresh of at most 10 s and the same request again, and storing.
LEASE_SECONDS = 120


class LeaseLost(Exception):
    """Another worker holds the run, or its connection was ended or forgotten: stop, and write nothing."""


@dataclass(frozen=True)
class Lease:
    """One worker's claim on one run."""

    run_id: UUID
    claim_id: UUID

    def extend(self) -> None:
        """Hold on, inside the transaction that writes: the row stays locked to its end. Raises LeaseLost."""
        living = Connection.objects.living().values("pk")
        held = self._held().filter(connection__in=living)
        if not held.update(lease_until=Now() + timedelta(seconds=LEASE_SECONDS)):
            raise LeaseLost

    def pause(self, *, seconds: int, pauses: int) -> None:
        """Give the run back, to be resumed by anyone after so long."""
        self._held().update(claim_id=None, lease_until=Now() + timedelta(seconds=seconds), pauses=pauses)

    def finish(self, *, outcome: SyncRun.Outcome, at: datetime) -> None:
        """End the run. Raises LeaseLost."""
        if not self._held().update(claim_id=None, lease_until=None, outcome=outcome, finished_at=at):
            raise LeaseLost

    def _held(self) -> QuerySet[SyncRun]:
        return SyncRun.objects.filter(pk=self.run_id, claim_id=self.claim_id, finished_at__isnull=True)


def claim(run_id: UUID) -> Lease | None:
    """Hold an open run that nobody holds; None where it is finished, held, paused or gone."""
    lease = Lease(run_id, uuid4())
    claimed = resumable().filter(pk=run_id)
    held = claimed.update(claim_id=lease.claim_id, lease_until=Now() + timedelta(seconds=LEASE_SECONDS))
    return lease if held else None


def resumable() -> QuerySet[SyncRun]:
    """Open runs that nobody holds: never begun, left by a worker that died, or paused long enough."""
    return SyncRun.objects.filter(Q(lease_until__isnull=True) | Q(lease_until__lte=Now()), finished_at__isnull=True)
