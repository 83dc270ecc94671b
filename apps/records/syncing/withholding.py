"""Types that came completely at an earlier check and are refused now with 403: in doubt at first, and "not shared" once
that persists.

A 403 may be somebody's decision (interface facts 5.4). It may also be a passing fault, such as a gateway that mistakes
us for somebody else, and then it would tell patients that they did not allow what they do share. So the first refusal
counts as "could not get it", and is believed if the type is still refused after the time for which we doubt anything.
Answers in between that are neither a refusal nor the record are ignored, like days without a check.

Two refusals are believed at once: one after a sign-in, which may have changed what is shared, and one whose challenge
says that the scope is not granted (facts 5.3).
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final

from django.db.models import Max, Min, Q

from apps.connections.models import AuthorizationRequest
from apps.connections.outcomes import Outcome
from apps.records.models import SyncRun, SyncStep
from apps.records.syncing import planning
from apps.records.syncing.received_rows import doubting

Gap = SyncStep.Gap

_IS_REFUSED: Final = Q(is_refusal_doubted=True) | Q(gap=Gap.NOT_SHARED)


def settle(run: SyncRun, steps: Iterable[SyncStep], *, denied: Collection[str], at: datetime) -> None:
    """Mark the steps of this run whose refusal is in doubt; for the types in `denied` it is not. Call it in the
    transaction that ends the run, after it is known that not everything is refused (`organization_not_enabled`)."""
    refused = [step for step in steps if step.gap == Gap.NOT_SHARED and step.started_at is not None]
    doubtful = (step for step in refused if step.resource_type not in denied)
    in_doubt = [step for step in doubtful if _is_in_doubt(run, step.resource_type, at=at)]
    for step in in_doubt:
        step.gap, step.is_refusal_doubted = Gap.UNAVAILABLE, True
    SyncStep.objects.bulk_update(in_doubt, ["gap", "is_refusal_doubted"])


def _is_in_doubt(run: SyncRun, resource_type: str, *, at: datetime) -> bool:
    if resource_type in planning.ACCOMPANYING:
        return False
    earlier = SyncStep.objects.filter(
        run__connection=run.connection_id, resource_type=resource_type, finished_at__lte=at
    ).exclude(run=run)
    whole_at = earlier.filter(status=SyncStep.Status.COMPLETE).aggregate(Max("finished_at"))["finished_at__max"]
    if whole_at is None or _has_signed_in(run, since=whole_at):
        return False
    refused = earlier.filter(_IS_REFUSED, finished_at__gt=whole_at)
    first_at = refused.aggregate(Min("finished_at"))["finished_at__min"]
    return first_at is None or first_at > at - doubting.BELIEVED_AFTER


def _has_signed_in(run: SyncRun, *, since: datetime) -> bool:
    return AuthorizationRequest.objects.filter(
        connection=run.connection_id, is_reauthorization=True, outcome=Outcome.COMPLETED, claimed_at__gt=since
    ).exists()
