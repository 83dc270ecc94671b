"""References that a run asked for in vain, handed on to the next: it asks for them, and for no row that names them.

Otherwise one address that never answers would make every check read a whole record again.
"""

from collections.abc import Iterable

from apps.records.models import PendingRead, SyncRun, SyncStep

# Nobody answers otherwise tomorrow; and what is beyond the most that is read of a type stays beyond it.
_DECIDED = SyncStep.SETTLED | {SyncStep.Gap.TOO_MUCH}


def leave(run: SyncRun, steps: Iterable[SyncStep]) -> None:
    """Keep what was not answered, or not asked for any more, and drop the rest. In the transaction that ends the run
    with these steps."""
    lacking = [step.resource_type for step in steps if step.gap and step.gap not in _DECIDED]
    reads = PendingRead.objects.filter(run=run)
    reads.filter(is_done=False, resource_type__in=lacking).update(is_owed=True)
    reads.filter(is_owed=False).delete()


def take_over(run: SyncRun) -> None:
    """Read what earlier runs left, in the transaction that plans this one. Where it asks for everything, its rows name
    anew what they refer to, and what nothing names any more is forgotten."""
    owed = PendingRead.objects.filter(run__connection=run.connection_id, is_owed=True).exclude(run=run)
    if run.is_full:
        owed.delete()
    else:
        owed.update(run=run, is_done=False)
