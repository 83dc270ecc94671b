"""Large answers are parsed one at a time in a process.

A page of 20 MB that somebody crafted takes up to 0.7 GB while it is parsed (ten million numbers in place of rows), and
an honest one twice its size. Several threads at that would hold all of it at once and gain nothing: one interpreter
parses one page at a time anyway.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_LARGE_BYTES: Final = 1_000_000
_TURN: Final = threading.RLock()


@contextmanager
def one_at_a_time(size: int) -> Iterator[None]:
    """Wait until no other large answer is being taken apart, where this one has so many bytes that it is one."""
    if size < _LARGE_BYTES:
        yield
        return
    with _TURN:
        yield
