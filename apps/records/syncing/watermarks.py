"""Until when a type is known to be whole, told by the provider's clock: where the next check for changes begins.

What is stamped before that and comes to light after it would be missed until the next full proof. So a watermark errs
early: it is no later than our clock says, nor than the provider's; a check begins some time before it; and where the
two clocks are too far apart to be believed, everything is asked for.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max

from apps.records.models import SyncRun, SyncStep

# How long checks may ask for changes alone: what a provider deleted is told by a search for everything (design, 5).
FULL_PROOF_EVERY: Final = timedelta(days=7)
# A server stamps a row when it begins to write it, and finds it when it is done with it and with all that wait before.
OVERLAP: Final = timedelta(hours=1)
_TOO_FAR_BEHIND: Final = timedelta(days=1)

Status = SyncStep.Status


def of_search(step: SyncStep, *, answered_at: datetime | None) -> datetime | None:
    """Of a search whose first page was answered then, by the provider's clock; None where that is beyond belief."""
    if answered_at is None or step.started_at is None or answered_at >= step.started_at:
        return step.started_at
    return answered_at if answered_at > step.started_at - _TOO_FAR_BEHIND else None


def known(run: SyncRun, *, at: datetime) -> Mapping[str, datetime]:
    """By type: proven by a search for everything, and perhaps by changes since. What was written down by a clock that
    was ahead of time is no proof."""
    complete = SyncStep.objects.filter(
        run__connection=run.connection_id, status=Status.COMPLETE, watermark_at__lte=at, run__created_at__lte=at
    )
    proofs = complete.filter(since_at__isnull=True, run__created_at__gt=at - FULL_PROOF_EVERY)
    proven = set(proofs.values_list("resource_type", flat=True))
    newest = complete.filter(resource_type__in=proven).values("resource_type").annotate(Max("watermark_at"))
    return {row["resource_type"]: row["watermark_at__max"] for row in newest}


def instant(since_at: datetime) -> str:
    """As a search is asked for what changed since; with its time: some servers take no date alone (facts 1.4)."""
    return (since_at - OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")
