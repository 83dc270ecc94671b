"""How often one share is opened and read: page and document are made from the record each time, and for a large record
that takes seconds. Whoever has the passcode could keep all threads busy, and fill the log with their coming.

Counted for each share, with the passcode given: whoever has the link alone uses nothing up. The count is in the cache,
which may lose it; where it does not answer, nobody is refused.
"""

from typing import Final
from uuid import UUID

from django.core.cache import cache
from redis.exceptions import RedisError

MOST: Final = 60  # a page that is opened counts twice, since the passcode leads to it; a clinic has several readers
SECONDS: Final = 600


class TooOften(Exception):
    """This share was opened or read as often as it may be in SECONDS. Wait."""


def count(share_id: UUID) -> None:
    """Count one more. Raises TooOften."""
    key = f"shared:{share_id}"
    try:
        cache.add(key, 0, timeout=SECONDS)
        counted = cache.incr(key)
    except (ValueError, RedisError):  # the time ended just now; the cache is away
        return
    if counted > MOST:
        raise TooOften
