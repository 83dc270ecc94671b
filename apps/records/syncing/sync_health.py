"""What operators ask about copies: which ones were given up because workers died over them, which ones kill workers
now, whether anybody takes up what waits, and which shelves an earlier release built. These queries change nothing and
reveal nothing about anybody's health."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, F, Min, OuterRef, Sum
from django.db.models.functions import Coalesce

from apps.records.models import SyncRun, SyncStep
from apps.records.shelving import renewing
from apps.records.syncing.workers import leasing, worker_deaths

# A step that was given up is tried again each day: if the failure is older than this, it has succeeded since, or nobody
# copies there any more.
LOOKED_BACK = timedelta(days=2)
# A scheduler that runs every minute has found a free run long before.
LATE_AFTER = timedelta(minutes=15)
MOST_COUNTED = 100_000  # shelves: beyond this, nobody needs the exact number
_MOST_LISTED = 20


@dataclass(frozen=True)
class SyncHealth:
    """At one moment. `dying` are open runs over which workers died, with how often; `given_up` are steps given up for
    that reason, by run and type; `unshelved` are runs whose shelves were given up, with their connections; the newest
    of each. `waiting` counts runs that are free and that nobody took up in time, the oldest waiting since
    `waiting_since_at`. `old_shelves` counts shelves that this release still has to rebuild, up to `MOST_COUNTED`, and
    `stuck_shelves` are the connections for which that failed."""

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
        """Whether nothing needs attention."""
        return not (self.dying or self.given_up or self.unshelved or self.waiting or self.stuck_shelves)


def examine(*, at: datetime) -> SyncHealth:
    """Look at all runs, by index; nothing is written."""
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
