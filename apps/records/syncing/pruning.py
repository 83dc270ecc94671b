"""Drop sync runs and their steps that neither the ledger nor a page needs any more. The audit log keeps what happened.

What stays: everything of the last days, whatever is open, the latest run of each connection (its page tells how that
ended), and each run that was the last to prove a resource type complete ("complete as of", however long ago). Rows in
quarantine go after their time, whatever becomes of their run.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from apps.records.models import QuarantinedRow, SyncRun, SyncStep

# Long enough to look into what a patient wrote about; a connection makes a run a day.
KEPT_FOR = timedelta(days=30)
QUARANTINED_FOR = timedelta(days=30)  # for staff and provider to find out what went wrong there
_BATCH = 1000


def prune(*, at: datetime) -> int:
    """Delete what is no longer needed, a batch a transaction; returns how many runs went."""
    QuarantinedRow.objects.filter(received_at__lt=at - QUARANTINED_FOR).delete()
    pruned = 0
    while batch := _prune_batch(at - KEPT_FOR):
        pruned += batch
    return pruned


@transaction.atomic
def _prune_batch(before: datetime) -> int:
    locked = _unneeded(before).order_by("finished_at").select_for_update(skip_locked=True)
    doomed = list(locked.values_list("pk", flat=True)[:_BATCH])
    SyncStep.objects.filter(run__in=doomed).delete()
    runs, _counts = SyncRun.objects.filter(pk__in=doomed).delete()
    return runs


def _unneeded(before: datetime) -> QuerySet[SyncRun]:
    """Runs that ended before then, have a later one, and whose every complete type was proven again since."""
    runs = SyncRun.objects.filter(connection=OuterRef("connection"), created_at__gt=OuterRef("created_at"))
    again = SyncStep.objects.filter(
        run__connection=OuterRef("run__connection"),
        resource_type=OuterRef("resource_type"),
        status=SyncStep.Status.COMPLETE,
        finished_at__gt=OuterRef("finished_at"),
    )
    proofs = SyncStep.objects.filter(~Exists(again), run=OuterRef("pk"), status=SyncStep.Status.COMPLETE)
    return SyncRun.objects.filter(Exists(runs), ~Exists(proofs), finished_at__lt=before)
