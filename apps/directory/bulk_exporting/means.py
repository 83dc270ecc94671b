"""What an export needs of whoever runs it: the time, a way to wait, and somebody to tell."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from apps.wire.errors import Unavailable

_FIRST_SECONDS = 5.0
_MOST_SECONDS = 300.0


@dataclass(frozen=True)
class Means:
    """`clock` gives the time, aware; `wait` lets so many seconds pass; `say` shows a line to the operator. A line holds
    names of files and numbers, or what the provider says of its progress: for a screen, not for a log."""

    clock: Callable[[], datetime]
    wait: Callable[[float], None]
    say: Callable[[str], None]

    def pause(self, tries: int, asked_seconds: int | None) -> float:
        """Waits as long as the far end asked for, or longer each time and never twice the same; says how long."""
        seconds = float(max(1, asked_seconds)) if asked_seconds is not None else backoff_seconds(tries)
        self.wait(seconds)
        return seconds


def backoff_seconds(tries: int) -> float:
    """After so many tries: from five seconds to five minutes, a fifth more or less."""
    return min(_FIRST_SECONDS * (1 << min(tries, 10)), _MOST_SECONDS) * random.uniform(0.8, 1.2)  # noqa: S311  # nosec B311 -- not a secret


def asked_seconds(refused: Unavailable) -> int | None:
    """How long the far end asks us to wait; None where it does not say."""
    return refused.retry_after_seconds
