"""How an exception appears in the logs: its type and where it happened, never a text from another library.

Such texts quote data: a failed request its whole URL, a constraint the whole row. The texts of our own exceptions are
constant (`apps/wire/errors.py`), so they are kept.
"""

import traceback
from collections.abc import Iterator

from config import redaction

_OURS = ("apps.", "config.")
_MOST_FRAMES = 40


def description(exception: BaseException) -> str:
    """Type, place and causes of an exception, one line each; the innermost frame of each exception comes last."""
    return "\n".join(_lines(exception, seen=set()))


def _lines(exception: BaseException, *, seen: set[int]) -> Iterator[str]:
    seen.add(id(exception))
    cause = exception.__cause__ or (None if exception.__suppress_context__ else exception.__context__)
    if cause is not None and id(cause) not in seen:
        yield from _lines(cause, seen=seen)
        yield "which led to"
    yield _headline(exception)
    frames = list(traceback.walk_tb(exception.__traceback__))  # unlike `extract_tb`, this reads no source from disk
    for frame, line in frames[-_MOST_FRAMES:]:
        yield f"  {frame.f_code.co_filename}:{line} in {frame.f_code.co_name}"


def _headline(exception: BaseException) -> str:
    kind = type(exception)
    name = f"{kind.__module__}.{kind.__qualname__}"
    is_ours = kind.__module__.startswith(_OURS)
    return f"{name}: {redaction.scrub_text(str(exception))}" if is_ours else name
