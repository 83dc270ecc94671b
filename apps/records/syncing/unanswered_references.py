"""References that a run asked for without getting an answer. The next run asks for them again, but not for the rows
that name them.

Otherwise one address that never answers would make every check read the whole record again.
"""

from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef, QuerySet

from apps.records.models import PendingRead, SyncRun, SyncStep
from apps.records.syncing import planning

# Asking again would not change these; and what exceeds the limit for a type exceeds it again.
_DECIDED = SyncStep.SETTLED | {SyncStep.Gap.TOO_MUCH}


def hand_on(run: SyncRun, steps: Sequence[SyncStep]) -> None:
    """Keep the references that were not answered, or not asked for any more, and drop the rest. Call it in the
    transaction that ends the run with these steps."""
    if run.is_full and run.planned_at is not None:
        _forget_earlier(run, steps)
    lacking = [step.resource_type for step in steps if step.gap and step.gap not in _DECIDED]
    reads = PendingRead.objects.filter(run=run)
    reads.filter(is_done=False, resource_type__in=lacking).update(is_owed=True)
    reads.filter(is_owed=False).delete()


def take_over(run: SyncRun) -> None:
    """Add the references that earlier runs left, each once, in the transaction that plans this run. Not if it asks for
    everything: then its rows name them anew."""
    if run.is_full:
        return
    earlier = _of_earlier(run)
    owed = {(read.resource_type, read.logical_id): read.depth for read in earlier}
    PendingRead.objects.bulk_create(
        (
            PendingRead(run=run, resource_type=resource_type, logical_id=logical_id, depth=depth, is_owed=True)
            for (resource_type, logical_id), depth in owed.items()
        ),
        update_conflicts=True,
        unique_fields=("run", "resource_type", "logical_id"),
        update_fields=("is_owed", "is_done"),
    )
    earlier.delete()


def _forget_earlier(run: SyncRun, steps: Iterable[SyncStep]) -> None:
    """Forget earlier references: those that this run's rows named again are settled by this run, and if all rows came,
    nothing names the others any more."""
    searched = (step for step in steps if step.resource_type not in planning.REFERENCED)
    named = PendingRead.objects.filter(
        run=run, resource_type=OuterRef("resource_type"), logical_id=OuterRef("logical_id")
    )
    earlier = _of_earlier(run)
    if any(step.gap and step.gap not in SyncStep.SETTLED for step in searched):
        earlier = earlier.filter(Exists(named))
    earlier.delete()


def _of_earlier(run: SyncRun) -> QuerySet[PendingRead]:
    return PendingRead.objects.filter(run__connection=run.connection_id, is_owed=True).exclude(run=run)
