"""A provider that refuses everything of a connection, even the patient: one cause, shown once and not as a list of
gaps.

The organization has not enabled our application, or has disabled it (interface facts 5.4, "if all types 403"). Patients
read that in one sentence, and staff find it once, in the list of problems with links. Nobody else is kept from linking
there: if only one patient is refused, it looks the same.
"""

from collections.abc import Iterable
from datetime import datetime

from apps.connections import alerting
from apps.records.models import SyncRun, SyncStep
from apps.records.syncing import planning
from apps.wire.errors import OrganizationNotEnabled

Gap = SyncStep.Gap

_FORBIDDEN = 403


def settle(run: SyncRun, steps: Iterable[SyncStep], *, at: datetime) -> None:
    """If a run was refused everything, give its steps that reason and tell staff; if that was so in the run before and
    this one brought something, note that it is over. Call it in the transaction that ends the run."""
    asked = [step for step in steps if step.started_at is not None and step.resource_type not in planning.ACCOMPANYING]
    if _is_shut_out(asked):
        for step in asked:
            step.gap = Gap.NOT_ENABLED
        SyncStep.objects.bulk_update(asked, ["gap"])
        error = OrganizationNotEnabled(status=_FORBIDDEN)
        alerting.alert_staff_of_sign_in(run.connection.registration, run.connection.endpoint, error, at=at)
    elif any(step.rows_kept for step in asked) and _was_shut_out(run):
        alerting.note_answer(run.connection.registration, run.connection.endpoint, at=at)


def _is_shut_out(asked: list[SyncStep]) -> bool:
    """Types that were not requested prove nothing; nor does the patient alone, whose id may be wrong."""
    refused = {step.resource_type for step in asked if step.gap == Gap.NOT_SHARED and not step.rows_got}
    return "Patient" in refused and len(refused) > 1 and len(refused) == len(asked)


def _was_shut_out(run: SyncRun) -> bool:
    earlier = SyncRun.objects.filter(connection=run.connection_id, created_at__lt=run.created_at)
    last = earlier.order_by("-created_at").first()
    return last is not None and last.steps.filter(gap=Gap.NOT_ENABLED).exists()
