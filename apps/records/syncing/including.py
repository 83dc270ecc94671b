"""What comes along with searches: Provenance, by reverse include (`_revinclude`)."""

from apps.records.models import SyncRun, SyncStep
from apps.records.syncing import planning
from apps.records.syncing.planning import BROUGHT_BY, Asking, Way


def gap(run: SyncRun) -> str:
    """The gap if not every search that should include it did: a server may have refused that, or ended the search
    early."""
    bringing = [step for step in run.steps.all() if _should_bring(step)]
    if any(step.status == SyncStep.Status.COMPLETE and not _brought(step) for step in bringing):
        return SyncStep.Gap.REFUSED
    return ""


def _should_bring(step: SyncStep) -> bool:
    return step.asked is not None and _brings(planning.read_asking(step.asked), 0)


def _brought(step: SyncStep) -> bool:
    asking = planning.read_asking(step.asked)
    return _brings(asking, asking.used or 0)


def _brings(asking: Asking, attempt: int) -> bool:
    return asking.way is Way.SEARCH and any(BROUGHT_BY in search for search in asking.searches(attempt))
