"""Read what repeats once: of ten thousand results, most have one of fifty codes, units and ranges.

What a part of a resource says depends on that part alone. Within a `memoizing` block, functions marked `remembered`
keep what they found for the parts they saw last, by the JSON of the part. At the end of the block all of it is gone:
no text of anybody outlives the work that opened it, and no two people's parts meet.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import local
from typing import Any, Final, ParamSpec, TypeVar

import msgspec

_MOST: Final = 1000  # parts remembered of one function
_LONGEST: Final = 1000  # a part that is longer hardly comes twice

Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")

_HELD = local()
# Writes what `elements.parse` reads, so that two parts are written alike only where they say the same.
_WRITTEN = msgspec.json.Encoder(decimal_format="number").encode


@contextmanager
def memoizing() -> Iterator[None]:
    """For as long as the block lasts, in this thread. One within another shares its memory."""
    if getattr(_HELD, "memory", None) is not None:
        yield
        return
    _HELD.memory = {}
    try:
        yield
    finally:
        _HELD.memory = None


def memoized(read: Callable[Arguments, Found]) -> Callable[Arguments, Found]:
    """For functions of parts of resources that say the same of the same parts, and return what nobody changes. What is
    given by name as well is read anew."""

    @wraps(read)
    def recall(*parts: Arguments.args, **names: Arguments.kwargs) -> Found:
        memory: dict[Any, dict[bytes, Any]] | None = getattr(_HELD, "memory", None)
        if memory is None or names:
            return read(*parts, **names)
        try:
            key = _WRITTEN(parts)
        except (ValueError, TypeError, OverflowError, RecursionError):  # a lone surrogate; nested too deep
            return read(*parts, **names)
        known = memory.get(read)
        if known is None or len(known) >= _MOST:
            known = memory[read] = {}
        if key in known:
            found: Found = known[key]
            return found
        found = read(*parts, **names)
        if len(key) <= _LONGEST:
            known[key] = found
        return found

    return recall
