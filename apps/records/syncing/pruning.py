"""Delete sync runs and their steps that neither the ledger nor a page needs any more. The audit log keeps what
happened.

What stays: everything of the last days; open runs; the latest run of each connection (its page shows how that ended);
and each run that was the last to prove a resource type complete ("complete as of", however long ago), or in which rows
of a type were marked as gone because their provider changed its FHIR version. If a provider stated several FHIR
versions, runs that may have brought a record anew stay as well (`resent_after_version_change`): otherwise the oldest
remaining run would be taken for such a one. The run that began with the confirmation also stays: anybody who looked
while it was under way saw only a part of the first copy. Quarantined rows are deleted after their time, whatever
becomes of their run.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from apps.records.models import QuarantinedRow, SyncRun, SyncStep
from apps.records.syncing import version_changes, watermarks

# Long enough to investigate what a patient wrote about; a connection makes one run a day.
KEPT_FOR = timedelta(days=30)
QUARANTINED_FOR = timedelta(days=30)  # time for staff and provider to find out what went wrong
_BATCH = 1000


def prune(*, at: datetime) -> int:
    """Delete what is no longer needed, one batch a transaction. Returns how many runs were deleted."""
    QuarantinedRow.objects.filter(received_at__lt=at - QUARANTINED_FOR).delete()
    pruned = 0
    while batch := _prune_batch(at - KEPT_FOR):
        pruned += batch
    return pruned


@transaction.atomic
def _prune_batch(before: datetime) -> int:
    locked = _unneeded(before).order_by("finished_at").select_for_update(skip_locked=True, of=("self",))
    doomed = list(locked.values_list("pk", flat=True)[:_BATCH])
    SyncStep.objects.filter(run__in=doomed).delete()
    runs, _counts = SyncRun.objects.filter(pk__in=doomed).delete()
    return runs


def _unneeded(before: datetime) -> QuerySet[SyncRun]:
    """Runs that ended before then, are not a connection's latest, brought nothing anew, and have no step that is the
    last of its kind."""
    of_connection = SyncRun.objects.filter(connection=OuterRef("connection"))
    later = of_connection.filter(created_at__gt=OuterRef("created_at"))
    needed = [Exists(_last(kind)) for kind in (Q(status=SyncStep.Status.COMPLETE), version_changes.IS_MARK)]
    unneeded = SyncRun.objects.filter(Exists(later), *(~one for one in needed), finished_at__lt=before)
    first = Q(created_at__lte=F("connection__confirmed_at"))
    return unneeded.exclude(first).exclude(_may_have_brought_anew(of_connection))


def _may_have_brought_anew(of_connection: QuerySet[SyncRun]) -> Q:
    """Whether it began in the first week in which its version was stated, for a connection with more than one
    version."""
    long_before = OuterRef("created_at") - watermarks.FULL_PROOF_EVERY
    known = of_connection.filter(stated_version=OuterRef("stated_version"), created_at__lte=long_before)
    others = of_connection.exclude(stated_version__in=["", OuterRef("stated_version")])
    return ~Q(stated_version="") & Exists(others) & ~Exists(known)


def _last(kind: Q) -> QuerySet[SyncStep]:
    """Steps of the run that are of this kind and have no later one of it for their type."""
    again = SyncStep.objects.filter(
        kind,
        run__connection=OuterRef("run__connection"),
        resource_type=OuterRef("resource_type"),
        finished_at__gt=OuterRef("finished_at"),
    )
    return SyncStep.objects.filter(kind, ~Exists(again), run=OuterRef("pk"))
