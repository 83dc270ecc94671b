"""Why a step is incomplete, as a reason from the ledger's closed vocabulary, and how a run ended."""

from collections.abc import Iterable

from apps.records.models import SyncRun, SyncStep
from apps.records.syncing import planning
from apps.wire.errors import (
    AccessRefused,
    AuthorizationExpired,
    Code,
    ForeignAddress,
    NotFound,
    OrganizationNotEnabled,
    RequestRefused,
    Unavailable,
    UnexpectedAnswer,
    WireError,
)

Gap = SyncStep.Gap

# The first match counts, so a narrower class precedes a wider one. Any other error counts as refused.
_REASONS: tuple[tuple[type[WireError], SyncStep.Gap], ...] = (
    (AccessRefused, Gap.NOT_SHARED),  # 403: scope, consent or policy (facts 5.3, 5.4)
    (NotFound, Gap.NOT_OFFERED),  # 404 and 410 on the type as a whole
    (AuthorizationExpired, Gap.SIGN_IN_NEEDED),  # 401 twice, the second time with a fresh token
    (OrganizationNotEnabled, Gap.NOT_ENABLED),  # it does not let us refresh the token
    (Unavailable, Gap.UNAVAILABLE),  # even after the pauses
    (ForeignAddress, Gap.STOPPED_SHORT),  # the next page is elsewhere, where no token of ours goes
    (UnexpectedAnswer, Gap.UNREADABLE),
)
_METHOD_NOT_ALLOWED = 405
_UNAUTHORIZED = 401


def reason(error: WireError) -> SyncStep.Gap:
    """Why a resource type is missing, given the error that ended its step."""
    if isinstance(error, RequestRefused) and error.status == _METHOD_NOT_ALLOWED:
        return Gap.NOT_OFFERED
    if is_turned_away(error):
        return Gap.TURNED_AWAY
    if error.code is Code.TOO_LARGE:
        return Gap.TOO_MUCH
    return next((gap for cause, gap in _REASONS if isinstance(error, cause)), Gap.REFUSED)


def is_turned_away(error: WireError) -> bool:
    """Whether the server refused a good token, one that does read the patient (`fetching`)."""
    return isinstance(error, RequestRefused) and error.status == _UNAUTHORIZED


def outcome(steps: Iterable[SyncStep]) -> SyncRun.Outcome:
    """Complete: everything that is offered was received. Failed: nothing was received. Partial: in between. Types that
    only accompany others, such as practitioners, count as received if the others were; and if they are not shared,
    nothing of the record is missing."""
    steps = list(steps)
    own = [step for step in steps if step.resource_type not in planning.ACCOMPANYING]
    if not any(step.status == SyncStep.Status.COMPLETE for step in own):
        return SyncRun.Outcome.FAILED
    beside = {step.gap for step in steps if step.resource_type in planning.ACCOMPANYING} - SyncStep.SETTLED
    missing = ({step.gap for step in own} | beside) - {Gap.NOT_OFFERED, ""}
    return SyncRun.Outcome.PARTIAL if missing else SyncRun.Outcome.COMPLETE


def proves_completeness(steps: Iterable[SyncStep]) -> bool:
    """Whether the provider counts as checked: everything that is offered and shared was received completely."""
    return all(step.status == SyncStep.Status.COMPLETE or step.gap in SyncStep.SETTLED for step in steps)
