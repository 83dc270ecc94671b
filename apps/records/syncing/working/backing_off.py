"""How long a run waits for a provider that does not answer: at least as long as it asks for, and longer each time, with
jitter so that two runs do not come back in the same second (interface facts 5.4)."""

import random
from typing import Final

from apps.wire.errors import Unavailable

# After the last of them, what is missing is a gap.
PAUSES_SECONDS: Final = (60, 300, 1800)
# After so many, a patient's details that do not come, where all searches ended, keep a copy open no longer.
PAUSES_FOR_ONE: Final = 2
# A provider that comes back would otherwise meet everybody at once who met its fall.
_JITTER: Final = 0.25
_CHANCE: Final = random.SystemRandom()


def seconds(error: Unavailable | None, *, pauses: int) -> float:
    """For a run that has waited so often already. What the provider wrote is at most a day (`wire.http_responses`)."""
    usual = PAUSES_SECONDS[pauses] * _CHANCE.uniform(1, 1 + _JITTER)
    return max((error.retry_after_seconds if error is not None else None) or 0, usual)
