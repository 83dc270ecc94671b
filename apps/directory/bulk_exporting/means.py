"""What an export needs from its caller: a clock, a way to wait, a way to report progress, and limits on disk space."""

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
    """How much disk space an export may use: so many bytes stay free, whatever the provider sends, and no file is
    larger than the maximum once it is decompressed."""

    keep_free_bytes: int = KEEP_FREE_BYTES
    largest_file_bytes: int = LARGEST_FILE_BYTES


@dataclass(frozen=True)
class Means:
    """`clock` returns the aware time; `wait` waits for so many seconds; `say` shows a line to the operator. Lines
    contain file names, numbers, or the provider's progress messages: for a screen, not for a log."""

    clock: Callable[[], datetime]
    wait: Callable[[float], None]
    say: Callable[[str], None]
    limits: Limits = field(default_factory=Limits)

    def pause(self, tries: int, asked_seconds: int | None) -> float:
        """Wait as long as the server asked for; otherwise longer each time, with some jitter. Returns how long."""
        seconds = float(max(1, asked_seconds)) if asked_seconds is not None else backoff_seconds(tries)
        self.wait(seconds)
        return seconds


def backoff_seconds(tries: int) -> float:
    """After so many tries: from five seconds to five minutes, plus or minus a fifth."""
    return min(_FIRST_SECONDS * (1 << min(tries, 10)), _MOST_SECONDS) * random.uniform(0.8, 1.2)  # noqa: S311  # nosec B311 -- not a secret


def asked_seconds(refused: Unavailable) -> int | None:
    """How long the server asked us to wait; None if it did not."""
    return refused.retry_after_seconds
