"""How far a sync run is: what comes next, and roughly how long it takes if the pace so far allows an estimate.

Interface A allows twenty requests a minute, so a first copy takes several minutes. A page that says so is not mistaken
for one that hangs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.connections.models import Connection
from apps.directory import reaching
from apps.records.models import PendingRead, SyncRun, SyncStep
from apps.records.subjects import Subject, shelved_for
from apps.records.syncing import planning
from apps.records.syncing.planning import Way

Status = SyncStep.Status

_NEXT = 3  # subjects named: with more it becomes a list, and nobody waits for the fourth
_USUAL_ROWS_A_PAGE = 20  # if a provider counts and has not sent a page yet


@dataclass(frozen=True)
class Outlook:
    """`next` are subjects that wait, in the order of asking; `minutes` is how long the known rest takes at this pace,
    or None if that is a minute or less."""

    next: tuple[Subject, ...]
    minutes: int | None

    @property
    def names(self) -> str:
        """What comes next, in the words of patients."""
        return ", ".join(str(subject.name) for subject in self.next)


def of(connection: Connection) -> Outlook | None:
    """For the run under way; None if there is none, or it is not planned yet."""
    run = connection.sync_runs.filter(finished_at__isnull=True).first()
    if run is None or run.planned_at is None or not reaching.is_known(connection.endpoint, connection.registration):
        return None
    steps = list(run.steps.order_by("pk"))
    a_minute = reaching.dialect(connection.endpoint, connection.registration).requests_per_minute
    requests = _requests(run, steps)
    return Outlook(_waiting(steps), math.ceil(requests / a_minute) if requests > a_minute else None)


def _waiting(steps: Sequence[SyncStep]) -> tuple[Subject, ...]:
    """Subjects for which nothing was requested yet, each once."""
    begun = {subject.key for step in steps if step.started_at is not None for subject in _subjects(step)}
    waiting = (step for step in steps if step.status == Status.WAITING and _way(step) is Way.SEARCH)
    found = {subject.key: subject for step in waiting for subject in _subjects(step) if subject.key not in begun}
    return tuple(found.values())[:_NEXT]


def _subjects(step: SyncStep) -> Iterable[Subject]:
    return shelved_for(step.resource_type)[:1]


def _requests(run: SyncRun, steps: Iterable[SyncStep]) -> int:
    """How many requests are left as far as we know: no page says how many follow it."""
    still = [step for step in steps if step.status in {Status.WAITING, Status.GETTING}]
    reads = PendingRead.objects.filter(run=run, is_done=False).count()
    return reads + sum(_of_step(step) for step in still)


def _of_step(step: SyncStep) -> int:
    way = _way(step)
    if way is Way.READ:
        return 1
    if way is not Way.SEARCH:
        return 0
    searches = len(planning.read_asking(step.asked).searches(0))
    rows_a_page = step.rows_got / step.pages if step.pages and step.rows_got else _USUAL_ROWS_A_PAGE
    rows_left = max((step.rows_counted or 0) - step.rows_got, 0)
    return max(searches - step.pages, 1, math.ceil(rows_left / rows_a_page))


def _way(step: SyncStep) -> Way | None:
    """None if an old release made the step."""
    return None if step.asked is None else planning.read_asking(step.asked).way
