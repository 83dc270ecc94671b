"""Which results became final or were corrected after being only ordered or preliminary: what somebody waits for.

Only the status shows that: some providers stamp every answer anew, so a changed body proves nothing. DSTU2 and R4 use
the same words for it (interface facts 1.6).
"""

from typing import Any, Final

import msgspec

_TYPES: Final = frozenset({"Observation", "DiagnosticReport"})
_THERE: Final = frozenset({"final", "amended", "corrected", "appended"})


class _Stated(msgspec.Struct):
    status: Any = None


_STATED: Final = msgspec.json.Decoder(_Stated)


def is_there(resource_type: str, body: bytes) -> bool:
    """Whether this is a result that its provider calls final, or corrected since."""
    return resource_type in _TYPES and _status(body) in _THERE


def is_concluded(body: bytes, *, before: bytes) -> bool:
    """Whether such a result had another status before."""
    return _status(body) != _status(before)


def _status(body: bytes) -> str:
    try:
        status = _STATED.decode(body).status
    except (msgspec.MsgspecError, RecursionError):
        return ""
    return status if isinstance(status, str) else ""
