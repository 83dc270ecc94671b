"""Records missing from a full proof: gone at their provider, or in doubt.

A valid, empty answer may be a mistake, such as an index that is being rebuilt or one filter too many. Believing it at
once would tell a patient that everything of a kind is gone. So missing records are held in doubt, and pages say that
they were not seen, in two cases: if a type that had records brings none, or hardly any of many; and if a large part of
many is missing at once and nothing new came instead, as when the search of one category is empty, or a search ends
after some pages as if that were all.

They are believed to be gone if they are still missing after `BELIEVED_AFTER`, even if more of the others came back
meanwhile, as from an index that is being rebuilt. Until then each check asks for everything of the type (`watermarks`).
Reading them one by one would prove no more: a server that lost its rows for a day answers 404 to that as well.
"""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet, Subquery

from apps.records.models import Record, SyncRun

BELIEVED_AFTER: Final = timedelta(hours=44)  # until the check two days later, which may begin a little sooner
_MANY: Final = 20
_HARDLY_ANY: Final = 0.05
_MUCH: Final = 0.1


def is_doubtful(*, came: int, missing: int, known: int = 0) -> bool:
    """Whether so few came that the answer may be a mistake. Rows that came under new ids count: then the provider
    renumbered them, and the answer is not empty. `known` is how many of those that came were here before."""
    total = came + missing
    is_much = missing >= _MANY and missing >= _MUCH * (known + missing) and 2 * (came - known) < missing
    is_hardly_any = came == 0 or (total >= _MANY and came <= _HARDLY_ANY * total)
    return missing > 0 and (is_hardly_any or (known > 0 and is_much))


def settle(held: QuerySet[Record], *, run_id: UUID, came: int, at: datetime) -> tuple[int, bool]:
    """Among these rows of one type, mark those that this run, which asked for everything, did not bring: as gone, or as
    unseen if that is in doubt. Returns how many are gone, and whether any are in doubt. Call it in the transaction that
    ends the step."""
    missing = held.filter(removed_at__isnull=True).exclude(confirmed_by_run=run_id)
    missing.filter(unseen_at__gt=at).update(unseen_at=at)  # from a wrong clock; counts from now
    is_new, believed = Q(unseen_at__isnull=True), Q(unseen_at__lte=at - BELIEVED_AFTER)
    lacking = missing.count()
    known = _known(held, run_id=run_id) if lacking >= _MANY else 0
    if is_doubtful(came=came, missing=lacking, known=known):
        missing.filter(is_new).update(unseen_at=at)
    else:
        believed |= is_new
    return missing.filter(believed).update(removed_at=at, unseen_at=None), missing.exists()


def _known(held: QuerySet[Record], *, run_id: UUID) -> int:
    """How many of those that came were here before."""
    began_at = SyncRun.objects.filter(pk=run_id).values("created_at")
    return held.filter(confirmed_by_run=run_id, first_received_at__lt=Subquery(began_at)).count()
