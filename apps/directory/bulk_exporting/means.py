"""What an export needs of whoever runs it: the time, a way to wait, somebody to tell, and room."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from apps.wire.errors import Unavailable

KEEP_FREE_BYTES = 1_000_000_000
LARGEST_FILE_BYTES = 10_000_000_000  # providers make files of 50 MB, packed (interface facts 4.3)
_FIRST_SECONDS = 5.0
_MOST_SECONDS = 300.0


@dataclass(frozen=True)
class Limits:
    """What an export may take of the disk: so many bytes stay free there whatever the provider sends, and no file, as
    it is here, is larger than that."""

    keep_free_bytes: int = KEEP_FREE_BYTES
    largest_file_bytes: int = LARGEST_FILE_BYTES


@dataclass(frozen=True)
class Means:
    """`clock` gives the time, aware; `wait` lets so many seconds pass; `say` shows a line to the operator. A line holds
    names of files and numbers, or what the provider says of its progress: for a screen, not for a log."""

    clock: Callable[[], datetime]
    wait: Callable[[float], None]
    say: Callable[[str], None]
    limits: Limits = field(default_factory=Limits)

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
