"""Measure how much work something is without a clock: in steps of a loop that is timed beside it, in the same run.

For code that must read its input in one pass, whatever the input is. A limit in seconds fails on a busy machine and
proves nothing on a fast one. A limit of some ten times the usual steps does neither, while code that goes over all of
its text again for each letter exceeds any limit.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(million_steps: float) -> Iterator[None]:
    """Fail if what is done here takes the processor longer than so many million steps of an empty loop.

    The loop is timed before and after, and the slower counts. Garbage is not collected meanwhile: how long that takes
    depends on what tests before this one left behind.
    """
    before = _seconds_of_a_million_steps()
    was_enabled = gc.isenabled()
    gc.disable()
    began = time.process_time()
    try:
        yield
        taken = time.process_time() - began
    finally:
        if was_enabled:
            gc.enable()
    a_million = max(before, _seconds_of_a_million_steps())
    assert taken < a_million * million_steps, f"it took as long as {taken / a_million:.1f} million steps"


def _seconds_of_a_million_steps() -> float:
    began = time.process_time()
    for _ in range(1_000_000):
        pass
    return time.process_time() - began
