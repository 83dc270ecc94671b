"""Who works on which sync run: one worker at a time, by conditional updates on the database's clock.

A claim holds for a lease that every stored page extends. If a worker dies, its lease expires and another resumes at the
stored cursors; a worker that was only slow finds its claim gone before it can write anything more. Each such death is
counted, with the steps that were in hand: what kills one worker after the other must not go on for ever
(`worker_deaths`).

Workers take the most urgent run: first those that a person waits for, then those of the schedule; among equals, the one
that has waited longest. For one authorization server, no more runs are worked on at once than `runs_at_once` of its
dialect, counted by rows under lease: a slow provider with many links fills its own share of the workers and nobody
else's.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection as database
from django.db import transaction
from django.db.models import Case, Count, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Now
from django.db.models.lookups import LessThanOrEqual

from apps.connections.models import Connection
from apps.directory import reaching, registering
from apps.directory.models import AuthorizationServer
from apps.records.models import SyncRun
from apps.records.syncing.workers import worker_deaths

# One page: a request of at most 30 s, perhaps a discovery of at most 20 s and a refresh of at most 10 s, then the same
# request again, and storing.
LEASE_SECONDS = 120

_SERVER = "connection__endpoint__authorization_server"
_DIALECT = "connection__endpoint__dialect"
_OVERRIDE = "connection__registration__runs_at_once"
_REGISTRATION = "connection__registration"
_IS_ON = Q(**{f"{_REGISTRATION}__is_switched_on": True, "connection__endpoint__is_switched_on": True})
_TROUBLE_SEEN = Coalesce(f"{_REGISTRATION}__trouble_seen_at", f"{_REGISTRATION}__trouble_at")
_IS_ACCEPTED = Q(**{f"{_REGISTRATION}__trouble": ""}) | Q(
    LessThanOrEqual(_TROUBLE_SEEN, Now() - registering.TRY_AGAIN_AFTER)
)
_IS_OVER = Q(connection__status__in=[Connection.Status.ENDED, Connection.Status.DISCONNECTED])  # only to be closed
# Runs that a person waits for go first; among equals, the one that has waited longest: since it was opened, or last
# given back.
_URGENCY = (
    Case(When(cause__in=SyncRun.ASKED_FOR, then=Value(0)), default=Value(1)),
    Coalesce("lease_until", "created_at"),
    "pk",
)


# Written out: each page runs this twice, and building it in Python costs eight times as much as running it.
_EXTEND = """
UPDATE records_syncrun AS run SET lease_until = statement_timestamp() + make_interval(secs => %(seconds)s)
FROM connections_connection AS connection
WHERE run.id = %(run)s AND run.claim_id = %(claim)s AND run.finished_at IS NULL
    AND connection.id = run.connection_id AND connection.status = ANY(%(living)s)
"""
_LIVING = [status.value for status in Connection.LIVING]


class LeaseLost(Exception):
    """Another worker holds the run, or its connection was ended or deleted: stop, and write nothing."""


@dataclass(frozen=True)
class Lease:
    """One worker's claim on one run."""

    run_id: UUID
    claim_id: UUID

    def extend(self) -> None:
        """Extend the lease, inside the transaction that writes: the row stays locked until its end. Raises
        LeaseLost."""
        values: dict[str, Any] = {
            "run": self.run_id,
            "claim": self.claim_id,
            "living": _LIVING,
            "seconds": LEASE_SECONDS,
        }
        with database.cursor() as cursor:
            cursor.execute(_EXTEND, values)
            if not cursor.rowcount:
                raise LeaseLost

    def give_back(self) -> None:
        """Let any worker continue the run at once; it queues behind those that are waiting already."""
        self._held().update(claim_id=None, lease_until=Now(), deaths=worker_deaths.DEATHS_AFTER_A_TURN)

    def pause(self, *, seconds: int, pauses: int) -> None:
        """Give the run back; any worker may resume it after this many seconds."""
        until = Now() + timedelta(seconds=seconds)
        self._held().update(claim_id=None, lease_until=until, pauses=pauses, deaths=worker_deaths.DEATHS_AFTER_A_TURN)

    def finish(self, *, outcome: SyncRun.Outcome, at: datetime) -> None:
        """End the run. Raises LeaseLost."""
        if not self._held().update(claim_id=None, lease_until=None, outcome=outcome, finished_at=at):
            raise LeaseLost

    def _held(self) -> QuerySet[SyncRun]:
        return SyncRun.objects.filter(pk=self.run_id, claim_id=self.claim_id, finished_at__isnull=True)


def claim(run_id: UUID) -> Lease | None:
    """Claim this open run if nobody holds it; None if it is finished, held, paused or gone, or if its authorization
    server already serves as many runs as it may."""
    return _claim(resumable().filter(pk=run_id))


def claim_next() -> Lease | None:
    """Claim the most urgent waiting run whose authorization server has room; None if there is none."""
    return _claim(resumable())


def resumable() -> QuerySet[SyncRun]:
    """Open runs that nobody holds: never begun, left by a worker that died, or paused long enough. Runs that staff
    switched off, and those whose registration is refused (`registering.is_in_trouble`), wait without a worker."""
    return _unheld().filter((_IS_ON & _IS_ACCEPTED) | _IS_OVER)


def _unheld() -> QuerySet[SyncRun]:
    return SyncRun.objects.filter(Q(lease_until__isnull=True) | Q(lease_until__lte=Now()), finished_at__isnull=True)


class _TakenMeanwhile(Exception):
    """Other workers took the last room at this authorization server while we were choosing."""


def _claim(runs: QuerySet[SyncRun]) -> Lease | None:
    while True:
        try:
            return _claim_of(runs.exclude(**{f"{_SERVER}__in": _busy_servers()}))
        except _TakenMeanwhile:  # that server counts as busy now, so this loop ends
            continue


@transaction.atomic
def _claim_of(runs: QuerySet[SyncRun]) -> Lease | None:
    waiting = runs.order_by(*_URGENCY).values_list("pk", _SERVER, "claim_id")
    chosen = waiting.select_for_update(skip_locked=True, of=("self",)).first()
    if chosen is None:
        return None
    run_id, server_id, dead_claim = chosen
    # Claims at one server are serialized by this lock, so that no two of them count the same free room.
    list(AuthorizationServer.objects.select_for_update(no_key=True).filter(pk=server_id).values_list("pk"))
    if _busy_servers(server_id):
        raise _TakenMeanwhile
    if dead_claim is not None:  # a worker that gives a run back removes its claim
        worker_deaths.count_death(run_id, dead_claim)
    lease = Lease(run_id, uuid4())
    _unheld().filter(pk=run_id).update(claim_id=lease.claim_id, lease_until=Now() + timedelta(seconds=LEASE_SECONDS))
    return lease


def _busy_servers(*only: UUID) -> Collection[UUID]:
    """Authorization servers (among `only`, if any are named) that already have as many runs held as they allow. The
    limit is that of the dialect, or of the registrations that these runs use, the strictest counting."""
    held = SyncRun.objects.filter(claim_id__isnull=False, lease_until__gt=Now(), finished_at__isnull=True)
    if only:
        held = held.filter(**{f"{_SERVER}__in": only})
    runs: Counter[UUID] = Counter()
    rooms: dict[UUID, int] = {}
    for server, dialect, override, count in held.values_list(_SERVER, _DIALECT, _OVERRIDE).annotate(Count("pk")):
        if server is not None:
            room = reaching.runs_at_once(dialect, override)
            runs[server] += count
            rooms[server] = min(room, rooms.get(server, room))
    return [server for server, room in rooms.items() if runs[server] >= room]
