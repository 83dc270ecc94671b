"""How much work something is, told without a clock on the wall: in steps of a loop timed beside it, in the same run.

For what must be read in one pass whatever it holds. A limit in seconds fails on a busy machine and says nothing on a
fast one; a limit some ten times above the usual does neither, and what goes over its text again and again for each
letter of it passes any.
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
