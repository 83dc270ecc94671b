"""How long a run waits for a provider that does not answer: at least as long as it asks for, and longer each time, with
jitter so that two runs do not come back in the same second (interface facts 5.4)."""

import random
from typing import Final

from apps.wire.errors import Unavailable

# After the last pause, what is missing becomes a gap.
PAUSES_SECONDS: Final = (60, 300, 1800)
# After this many, a patient resource that does not come no longer keeps a copy open whose searches have all ended.
PAUSES_FOR_ONE: Final = 2
# Without it, everybody who was interrupted when a provider failed would return to it at the same moment.
_JITTER: Final = 0.25
_CHANCE: Final = random.SystemRandom()


def seconds(error: Unavailable | None, *, pauses: int) -> float:
    """The next pause of a run that has paused this many times. The provider's own value is at most a day
    (`wire.http_responses`)."""
    usual = PAUSES_SECONDS[pauses] * _CHANCE.uniform(1, 1 + _JITTER)
    return max((error.retry_after_seconds if error is not None else None) or 0, usual)
