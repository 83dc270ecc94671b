"""Parsing large answers one at a time in each process.

While it is parsed, an honest page takes twice its size, and a malicious one of 20 MB up to 0.7 GB (ten million numbers
in place of rows). Several threads would need that memory at once and gain nothing, because one interpreter parses one
page at a time anyway.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_LARGE_BYTES: Final = 1_000_000
_TURN: Final = threading.RLock()


@contextmanager
def one_at_a_time(size: int) -> Iterator[None]:
    """Wait until no other large answer is being parsed, if an answer of `size` bytes is a large one."""
    if size < _LARGE_BYTES:
        yield
        return
    with _TURN:
        yield
