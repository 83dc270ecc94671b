"""What operators ask about copies: which were given up because workers died over them, over which ones workers die now,
whether anybody takes up what waits, and which shelves an earlier release built. Queries that change nothing and tell
nothing of anybody's health."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, F, Min, OuterRef, Sum
from django.db.models.functions import Coalesce

from apps.records.models import SyncRun, SyncStep
from apps.records.shelving import renewing
from apps.records.syncing.working import leasing, worker_deaths

# What was given up is tried again each day: older than this, and it went well since, or nobody copies there any more.
LOOKED_BACK = timedelta(days=2)
# Whoever beats once a minute has found a run that is free long before.
LATE_AFTER = timedelta(minutes=15)
MOST_COUNTED = 100_000  # shelves: of millions, nobody needs the number
_MOST_LISTED = 20


@dataclass(frozen=True)
class SyncHealth:
    """At one moment. `dying` are open runs over which workers died, with how often; `given_up` are steps that were
    given up for it, by run and type, and `unshelved` runs whose shelves were, with their connections; the newest of
    each. `waiting` counts runs that are free and that nobody took up in time, the oldest since `waiting_since_at`.
    `old_shelves` counts those that are still to be built anew by this release, up to `MOST_COUNTED`, and
    `stuck_shelves` are the connections where that failed."""

    at: datetime
    dying: tuple[tuple[UUID, int], ...]
    given_up: tuple[tuple[UUID, str], ...]
    unshelved: tuple[tuple[UUID, UUID], ...]
    waiting: int
    waiting_since_at: datetime | None
    old_shelves: int
    stuck_shelves: tuple[UUID, ...]

    @property
    def is_well(self) -> bool:
        """Whether nobody need look."""
        return not (self.dying or self.given_up or self.unshelved or self.waiting or self.stuck_shelves)


def examine(*, at: datetime) -> SyncHealth:
    """Look at all runs. Indexes answer; nothing is written."""
    died = SyncRun.objects.filter(finished_at__isnull=True).annotate(of_steps=Coalesce(Sum("steps__deaths"), 0))
    dying = died.annotate(times=F("of_steps") + F("deaths")).filter(times__gt=0).order_by("-times", "pk")
    given_up = SyncStep.objects.filter(gap=SyncStep.Gap.WORKER_DIED, finished_at__gt=at - LOOKED_BACK)
    left = SyncStep.objects.filter(run__connection=OuterRef("connection"), needs_shelf=True)
    unshelved = SyncRun.objects.filter(
        Exists(left), deaths__gte=worker_deaths.MOST_DEATHS_OF_A_RUN, finished_at__gt=at - LOOKED_BACK
    )
    free = leasing.resumable().annotate(since_at=Coalesce("lease_until", "created_at"))
    late = free.filter(since_at__lte=at - LATE_AFTER)
    return SyncHealth(
        at=at,
        dying=tuple(dying.values_list("pk", "times")[:_MOST_LISTED]),
        given_up=tuple(given_up.order_by("-finished_at", "pk").values_list("run_id", "resource_type")[:_MOST_LISTED]),
        unshelved=tuple(unshelved.order_by("-finished_at").values_list("pk", "connection_id")[:_MOST_LISTED]),
        waiting=late.count(),
        waiting_since_at=late.aggregate(Min("since_at"))["since_at__min"],
        old_shelves=renewing.count_old(most=MOST_COUNTED),
        stuck_shelves=renewing.stuck(most=_MOST_LISTED),
    )
