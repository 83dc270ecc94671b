"""One measured number and the goal it is held against; and how numbers are measured.

Every number is a median of several tries, and nearly every one a ratio of two things done in turn in one process: what
a machine does beside us slows both.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

TRIES = 7


@dataclass(frozen=True)
class Figure:
    """`bound` is the largest value that is good enough."""

    name: str
    value: float
    bound: float
    unit: str

    @property
    def is_good_enough(self) -> bool:
        """Whether the goal is reached."""
        return self.value <= self.bound

    def __str__(self) -> str:
        verdict = "ok" if self.is_good_enough else "short"
        return f"{self.name} {self.value:.2f}{self.unit} goal {self.bound:g}{self.unit} {verdict}"


def processor_ms(work: Callable[[], object], *, repeats: int) -> float:
    """The median, over several tries, of the milliseconds of processor time that one call takes in this process."""
    return statistics.median(_taken(time.process_time, work, repeats) * 1000 for _try in _tries())


def ratio(work: Callable[[], object], comparator: Callable[[], object], *, repeats: int = 1) -> float:
    """How much longer `work` takes than `comparator`, by the clock: done in turn, the median of the tries' ratios."""
    return statistics.median(
        _taken(time.perf_counter, work, repeats) / _taken(time.perf_counter, comparator, repeats) for _try in _tries()
    )


def say(progress: str) -> None:
    """Tell whoever watches how far we are, on a line that the next one overwrites. Never in the way of the figures."""
    print(f"\r  {progress:<70}", end="", file=sys.stderr, flush=True)


def _taken(clock: Callable[[], float], work: Callable[[], object], repeats: int) -> float:
    began = clock()
    for _ in range(repeats):
        work()
    return (clock() - began) / repeats


def _tries() -> Iterator[int]:
    for number in range(TRIES):
        say(f"try {number + 1} of {TRIES}")
        yield number
    print("\r" + " " * 72 + "\r", end="", file=sys.stderr, flush=True)
