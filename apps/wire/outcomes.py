"""An OperationOutcome among the rows of a search: whether it reports that rows are missing.

A search that answers 200 may have failed in part. If we took such a page for complete, we would tell a patient that
nothing was sent, and that what we have is gone.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from apps.wire.errors import AccessRefused, RequestRefused, Throttled, Unavailable, WireError

# FHIR issue types, the same in both versions. Those that pass with time do so at any severity. Errors are: somebody may
# not see it, or our request was wrong. That nothing was found is an answer.
_PASSES: Final = frozenset({"transient", "lock-error", "no-store", "exception", "timeout", "incomplete"})
_THROTTLED: Final = "throttled"  # this one, too
_FORBIDDEN: Final = frozenset({"security", "login", "unknown", "expired", "forbidden", "suppressed"})
_OURS: Final = frozenset(
    {"invalid", "structure", "required", "value", "invariant", "not-supported", "too-costly", "too-long"}
)
_NONE_FOUND: Final = frozenset({"not-found", "informational"})
_ERRORS: Final = frozenset({"error", "fatal"})

_STATUS: Final = 200  # it came with an answer


class _Outcome(msgspec.Struct):
    issue: Any = None


_DECODER = msgspec.json.Decoder(_Outcome)


def failure(body: bytes) -> WireError | None:
    """The first error that it reports, if any. Never raises, and keeps nothing of its text."""
    return next(filter(None, (_failure(severity, code) for severity, code in _issues(body))), None)


def _failure(severity: object, code: object) -> WireError | None:
    if code == _THROTTLED:
        return Throttled(status=_STATUS)
    if code in _PASSES:
        return Unavailable(status=_STATUS)
    if severity not in _ERRORS or code in _NONE_FOUND:
        return None
    if code in _FORBIDDEN:
        return AccessRefused(status=_STATUS)
    return RequestRefused(status=_STATUS) if code in _OURS else Unavailable(status=_STATUS)


def _issues(body: bytes) -> Iterator[tuple[object, object]]:
    try:
        issues = _DECODER.decode(body).issue
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return
    for issue in issues if isinstance(issues, list) else ():
        if isinstance(issue, dict):
            severity, code = (issue.get(name) for name in ("severity", "code"))
            yield (severity if isinstance(severity, str) else None), (code if isinstance(code, str) else None)
