"""Two days of very many links, on a clock of their own: an outage, servers that throttle, a deployment every hour.

Links, budgets, choosing and claiming are the product's own, in a real Postgres, and so are the moments written. What
providers answer is made up here, sealing and the audit log are left out, and what the answers of one step bring is
stored by one statement for all of them instead of one each. All workers look together once a step.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection

from apps.connections.models import StoredTokenSet
from apps.connections.refreshing import budgeting, choosing, protocol, running, timing
from apps.connections.refreshing.claiming import Claim
from apps.connections.refreshing.timing import Times
from apps.directory import reaching, registering
from apps.wire.errors import Throttled, Unavailable
from benchmarks.figure import say
from benchmarks.many_links import Server

REST = timedelta(seconds=10)  # while nothing could be had
_KEEP = """
UPDATE connections_storedtokenset AS held
SET generation = held.generation + 1, attempt_id = NULL, attempt_started_at = NULL, lease_until = NULL, tries = 0,
    is_rotated = new.is_rotated, access_expires_at = new.access_expires_at, not_before_at = new.not_before_at,
    refresh_issued_at = new.refresh_issued_at, refresh_used_at = new.refresh_used_at,
    refresh_deadline_at = new.refresh_deadline_at, refresh_due_at = new.refresh_due_at
FROM unnest(%s::uuid[], %s::int[], %s::bool[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[],
    %s::timestamptz[], %s::timestamptz[], %s::timestamptz[]) AS new (
    connection_id, generation, is_rotated, access_expires_at, not_before_at, refresh_issued_at, refresh_used_at,
    refresh_deadline_at, refresh_due_at
)
WHERE held.connection_id = new.connection_id AND held.generation = new.generation
"""


@dataclass(frozen=True)
class Days:
    """What happens, and how many workers there are, whose every call takes so long: more than budgets let work, so that
    the calls that are seen say how many it takes."""

    step: timedelta
    beat: timedelta = timedelta(minutes=1)
    lasts: timedelta = timedelta(hours=48)
    outage: tuple[timedelta, timedelta] = (timedelta(hours=6), timedelta(hours=26))
    deployed_every: timedelta = timedelta(hours=1)
    workers: int = 12
    call_seconds: float = 0.5


@dataclass
class Seen:
    """What came of it. Hours, and calls a second: over one step each, what is within a step is not told apart."""

    refreshed: int = 0
    lost: int = 0
    failed: int = 0
    throttled: int = 0
    killed: int = 0
    looks: int = 0
    worst_lateness_hours: float = 0.0
    least_left_hours: float = float("inf")
    peak_per_second: float = 0.0
    peak_of_one_server: float = 0.0


def live(servers: Sequence[Server], days: Days, *, begins_at: datetime) -> Seen:
    """Let the days pass, and say what was seen."""
    world = _World(servers, days, begins_at)
    at, ends_at, deployed_at = begins_at, begins_at + days.lasts, begins_at + days.deployed_every
    while at < ends_at:
        if at >= deployed_at:
            world.deploy(at)
            deployed_at += days.deployed_every
            at += days.beat
            continue
        taken = choosing.take(world.hands, at=at, budgets_at=at)
        world.answer(taken.claims, at=at)
        if not taken.waits:
            at = begins_at + ((at - begins_at) // days.beat + 1) * days.beat
        else:
            at += days.step if taken.claims else max(REST, days.step)
    world.seen.lost += StoredTokenSet.objects.filter(
        refresh_due_at__isnull=False, refresh_deadline_at__lte=ends_at
    ).count()
    return world.seen


@contextmanager
def budgets(*, per_second: float, step: timedelta, least: float = 1 / 60) -> Iterator[None]:
    """As if servers were usually asked so often and at least so often, and looked after once a step."""
    before = budgeting.AHEAD, reaching.refreshes_per_second, budgeting.FIXED["lowest"]
    budgeting.AHEAD, reaching.refreshes_per_second = step, lambda dialect_name: per_second  # noqa: ARG005
    budgeting.FIXED["lowest"] = least
    try:
        yield
    finally:
        budgeting.AHEAD, reaching.refreshes_per_second, budgeting.FIXED["lowest"] = before


class _World:
    """Servers that answer, and what is written of their answers."""

    def __init__(self, servers: Sequence[Server], days: Days, begins_at: datetime) -> None:
        self.seen = Seen()
        self._seconds = days.step.total_seconds()
        self.hands = max(int(days.workers * running.HANDS * self._seconds / days.call_seconds), 1)
        self._out = begins_at + days.outage[0], begins_at + days.outage[1]
        self._servers = {server.registration.pk: server for server in servers}

    def deploy(self, at: datetime) -> None:
        """Of the workers that are replaced, one was killed with all its hands full: the leases run out meanwhile."""
        killed = choosing.take(running.HANDS, at=at, budgets_at=at).claims
        self.seen.killed += len(killed)
        ids = [claim.connection.pk for claim in killed]
        StoredTokenSet.objects.filter(pk__in=ids).update(lease_until=at - timedelta(days=365))

    def answer(self, claims: Sequence[Claim], *, at: datetime) -> None:
        """What comes back for those that were taken at this moment."""
        self.seen.looks += 1
        asked: Counter[UUID] = Counter()
        kept = []
        for claim in claims:
            deadline_at, registration_id = claim.stored.refresh_deadline_at, claim.connection.registration_id
            if deadline_at is not None and deadline_at <= at:
                self._end(claim)
                continue
            asked[registration_id] += 1
            if self._out[0] <= at < self._out[1]:
                self.seen.failed += 1
                self._put_off(claim, Unavailable(), at=at)
            elif asked[registration_id] > self._servers[registration_id].per_second * self._seconds + 1e-6:
                self.seen.throttled += 1
                self._put_off(claim, Throttled(retry_after_seconds=1), at=at)
            else:
                kept.append(claim)
        self._keep(kept, at=at)
        budgeting.answered({claim.connection.registration_id for claim in kept})
        self.seen.peak_per_second = max(self.seen.peak_per_second, asked.total() / self._seconds)
        self.seen.peak_of_one_server = max(self.seen.peak_of_one_server, max(asked.values(), default=0) / self._seconds)

    def _keep(self, claims: Sequence[Claim], *, at: datetime) -> None:
        rows = []
        for claim in claims:
            rotates = self._servers[claim.connection.registration_id].kind.rotates is True
            registering.note_rotation(claim.connection.registration, rotates=rotates, at=at)
            rows.append((claim, rotates, self._times(claim, rotates=rotates, at=at)))
            self._measure_link(claim, at=at)
        self.seen.refreshed += len(rows)
        columns = [
            (claim.connection.pk, claim.sent.generation, rotates, *astuple(new)[:-1]) for claim, rotates, new in rows
        ]
        with connection.cursor() as cursor:
            if columns:
                cursor.execute(_KEEP, [list(column) for column in zip(*columns, strict=True)])
        say(f"{at:%d %H:%M}: {self.seen.refreshed} refreshed, {self.seen.lost} lost")

    def _times(self, claim: Claim, *, rotates: bool, at: datetime) -> Times:
        return timing.times(
            replace(claim.policy, rotates=rotates),
            connection_id=claim.connection.pk,
            at=at,
            expires_in_seconds=300,
            refresh_issued_at=at if rotates else claim.stored.refresh_issued_at,
        )

    def _put_off(self, claim: Claim, error: Unavailable, *, at: datetime) -> None:
        tries, deadline_at = claim.stored.tries + 1, claim.stored.refresh_deadline_at
        asked = error.retry_after_seconds
        until = at + protocol.wait(
            tries=tries,
            floor=claim.policy.floor,
            left=None if deadline_at is None else deadline_at - at,
            asked=None if asked is None else timedelta(seconds=asked),
        )
        StoredTokenSet.objects.filter(pk=claim.connection.pk).update(
            attempt_id=None, attempt_started_at=None, lease_until=None, not_before_at=until, refresh_due_at=until,
            tries=tries,
        )  # fmt: skip
        budgeting.failed(claim.connection, error, at=at)

    def _end(self, claim: Claim) -> None:
        self.seen.lost += 1
        StoredTokenSet.objects.filter(pk=claim.connection.pk).update(refresh_due_at=None, attempt_id=None)

    def _measure_link(self, claim: Claim, *, at: datetime) -> None:
        """How late it is, by what was planned when it was last refreshed: failures have put that off since."""
        stored = claim.stored
        assert stored.refresh_used_at is not None
        planned_at = timing.times(
            claim.policy if stored.is_rotated is None else replace(claim.policy, rotates=stored.is_rotated),
            connection_id=claim.connection.pk,
            at=stored.refresh_used_at,
            expires_in_seconds=300,
            refresh_issued_at=stored.refresh_issued_at,
        ).refresh_due_at
        late = (at - (planned_at or at)).total_seconds() / 3600
        self.seen.worst_lateness_hours = max(self.seen.worst_lateness_hours, late)
        if stored.refresh_deadline_at is not None:
            left = (stored.refresh_deadline_at - at).total_seconds() / 3600
            self.seen.least_left_hours = min(self.seen.least_left_hours, left)
