"""The watermark of a type: the provider's time up to which it is known to be complete, from which the next check asks
for changes. If several searches cover a type, some may be complete and others not (docs/decisions/0017).

A change stamped earlier than the watermark that becomes visible later would be missed until the next full proof. So a
watermark errs on the early side: it is no later than our clock, nor than the provider's; a check starts some time
before it; and if the two clocks are too far apart to be believed, everything is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from apps.records.models import SyncRun, SyncStep
from apps.records.syncing import planning
from apps.wire.resource_types import Parameters

# How long checks may ask for changes alone: only a search for everything shows what a provider deleted (design, 5).
FULL_PROOF_EVERY: Final = timedelta(days=7)
# A server stamps a row when it begins to write it; searches find the row only when that, and all writing queued before
# it, is done.
OVERLAP: Final = timedelta(hours=1)
_TOO_FAR_BEHIND: Final = timedelta(days=1)

Status = SyncStep.Status


def of_search(step: SyncStep, *, answered_at: datetime | None) -> datetime | None:
    """The watermark of a search whose first page was answered at this time by the provider's clock; None if that is
    beyond belief."""
    if answered_at is None or step.started_at is None or answered_at >= step.started_at:
        return step.started_at
    return answered_at if answered_at > step.started_at - _TOO_FAR_BEHIND else None


@dataclass(frozen=True)
class Watermark:
    """Up to `at`, we hold what these searches find."""

    at: datetime
    whole: frozenset[Parameters]


def known(run: SyncRun, *, at: datetime) -> Mapping[str, Watermark]:
    """By type: proven by searches for everything, and perhaps by changes since. What a clock that was ahead wrote down
    is no proof."""
    is_whole = Q(status=Status.COMPLETE) | Q(status=Status.GAP, asked__lacking__0__isnull=False)
    ended = SyncStep.objects.filter(
        is_whole, run__connection=run.connection_id, watermark_at__lte=at, run__created_at__lte=at
    )
    proofs = ended.filter(since_at__isnull=True, run__created_at__gt=at - FULL_PROOF_EVERY)
    proofs = proofs.exclude(resource_type__in=_in_doubt(run))
    newest = ended.filter(resource_type__in=proofs.values("resource_type")).order_by("resource_type", "-watermark_at")
    return {
        step.resource_type: Watermark(step.watermark_at, planning.read_asking(step.asked).whole())
        for step in newest.distinct("resource_type").only("run", "resource_type", "watermark_at", "asked")
        if step.watermark_at is not None and step.asked is not None
    }


def _in_doubt(run: SyncRun) -> list[str]:
    """Types whose last proof was not believed (`doubting`): only another proof shows what is gone."""
    proofs = SyncStep.objects.filter(
        Q(status=Status.COMPLETE) | Q(gap=SyncStep.Gap.UNSEEN), run__connection=run.connection_id
    )
    newest = proofs.order_by("resource_type", "-finished_at").distinct("resource_type")
    return [name for name, gap in newest.values_list("resource_type", "gap") if gap]


def instant(since_at: datetime) -> str:
    """The value for a search for changes. It includes the time: some servers do not accept a bare date (facts 1.4)."""
    return (since_at - OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")
