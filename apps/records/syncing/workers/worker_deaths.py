"""Workers that die, and what they were working on.

A deploy, or a machine that stops, kills a worker once, and the next worker continues. An answer that needs more memory
than there is kills every worker that takes it up, and disturbs other copies as well. So each death counts against the
steps that were in hand. Such steps are done last and alone from then on, so that the next death can be blamed on one
step; a step that brings something is acquitted. After `MOST_DEATHS`, a step is given up with a gap that says that the
fault is ours. What a run does with no step in hand, such as planning and building shelves, is given up after more
deaths.
"""

import logging
from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db.models import Case, F, PositiveSmallIntegerField, When

from apps.records.models import SyncRun, SyncStep

MOST_DEATHS: Final = 5
# With no step in hand. The shelves of a long record are built in one piece, so machines that often stop may hit it
# again and again although it is not to blame: ten deaths must not leave it undone.
MOST_DEATHS_OF_A_RUN: Final = 11
# For a run whose worker is alive: what was given up stays given up until the run ends.
DEATHS_AFTER_A_TURN: Final = Case(
    When(deaths__lt=MOST_DEATHS_OF_A_RUN, then=0), default=F("deaths"), output_field=PositiveSmallIntegerField()
)

Status = SyncStep.Status
Gap = SyncStep.Gap

_LOG = logging.getLogger(__name__)


def count_death(run_id: UUID, claim_id: UUID) -> None:
    """Count the death of a worker that let this claim expire: it died, or hung. Call it in the transaction that takes
    over its run."""
    in_hand = SyncStep.objects.filter(run=run_id, claim_id=claim_id, status=Status.GETTING)
    if in_hand.update(deaths=F("deaths") + 1):
        _LOG.error("A worker died or hung over a sync run, with steps in hand: run %s.", run_id)
    else:
        SyncRun.objects.filter(pk=run_id).update(deaths=F("deaths") + 1)
        _LOG.error("A worker died or hung over a sync run: run %s.", run_id)


def release_all(run: SyncRun) -> None:
    """No step is in hand any more: if a worker dies now, no step is to blame."""
    run.steps.filter(claim_id__isnull=False, status=Status.GETTING).update(claim_id=None)


def release(step: SyncStep) -> None:
    """This step is no longer in hand, until a turn begins it again."""
    in_hand = SyncStep.objects.filter(pk=step.pk, claim_id=step.claim_id, status=Status.GETTING)
    in_hand.update(claim_id=None)


def log_given_up(step: SyncStep) -> None:
    """Log it for the operators. The caller ends the step."""
    _LOG.error("A sync step was given up after %d deaths of workers: run %s.", step.deaths, step.run_id)


def batches(steps: Iterable[SyncStep]) -> list[list[SyncStep]]:
    """Steps that may be taken together: first all those that no worker died over, then each of the others alone, by
    number of deaths."""
    by_deaths = sorted(steps, key=lambda step: step.deaths)
    innocent = [step for step in by_deaths if not step.deaths]
    return [*([innocent] if innocent else []), *([step] for step in by_deaths if step.deaths)]


def is_given_up(tried: SyncStep | SyncRun) -> bool:
    """Whether it is not to be tried again in this run: a step or, for a run, the work before and after its steps."""
    return tried.deaths >= (MOST_DEATHS if isinstance(tried, SyncStep) else MOST_DEATHS_OF_A_RUN)


def deaths_to_begin_with(before: SyncStep | None) -> int:
    """The count for a step of a new run, given the last step of its type: if that was given up, one more death is
    enough, and until then the new one is taken alone."""
    return MOST_DEATHS - 1 if before is not None and before.gap == Gap.WORKER_DIED else 0


def run_before(run: SyncRun) -> SyncRun | None:
    """The connection's run before this one."""
    earlier = SyncRun.objects.filter(connection=run.connection_id, created_at__lt=run.created_at)
    return earlier.order_by("-created_at").first()


def were_shelves_given_up(run: SyncRun) -> bool:
    """Whether workers died over the shelves of the run before this one, and those have not been built since."""
    before = run_before(run)
    left = SyncStep.objects.filter(run__connection=run.connection_id, needs_shelf=True)
    return before is not None and is_given_up(before) and left.exists()


def allow_one_more(run: SyncRun) -> None:
    """From now on, one more death is enough."""
    SyncRun.objects.filter(pk=run.pk).update(deaths=MOST_DEATHS_OF_A_RUN - 1)


def acquit(run: SyncRun) -> None:
    """Reset the count: no worker died."""
    SyncRun.objects.filter(pk=run.pk).update(deaths=0)
