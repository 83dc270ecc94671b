"""One measured number and the goal it is held against."""

import statistics
import sys
import time
from collections.abc import Callable
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
    tries = []
    for number in range(TRIES):
        print(f"\r  try {number + 1} of {TRIES} ", end="", file=sys.stderr, flush=True)
        began = time.process_time()
        for _ in range(repeats):
            work()
        tries.append((time.process_time() - began) * 1000 / repeats)
    print("\r" + " " * 20 + "\r", end="", file=sys.stderr, flush=True)
    return statistics.median(tries)
