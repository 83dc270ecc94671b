"""Read repeated parts only once: of ten thousand results, most share fifty codes, units and ranges.

What a part of a resource says depends on that part alone. Within a `memoizing` block, functions marked `memoized` keep
their results for the parts that they saw last, by the JSON of the part. At the end of the block, all of it is gone: no
patient's text outlives the work that opened it, and no two patients' parts mix.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import local
from typing import Any, Final, ParamSpec, TypeVar

import msgspec

_MOST: Final = 1000  # results kept for one function
_LONGEST: Final = 1000  # bytes of JSON: a longer part hardly ever repeats

Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")

_HELD = local()
# Writes numbers as `elements.parse` reads them, so that two parts have the same JSON only if they say the same.
_WRITTEN = msgspec.json.Encoder(decimal_format="number").encode


@contextmanager
def memoizing() -> Iterator[None]:
    """Keep results until the block ends, in this thread. A nested block shares the memory of the outer one."""
    if getattr(_HELD, "memory", None) is not None:
        yield
        return
    _HELD.memory = {}
    try:
        yield
    finally:
        _HELD.memory = None


def memoized(read: Callable[Arguments, Found]) -> Callable[Arguments, Found]:
    """Decorate a function that depends only on its parts of resources, and returns something immutable. Calls with
    keyword arguments are not memoized."""

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
