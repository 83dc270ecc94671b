"""How often one share may be opened and read. Page and document are made from the record each time, which takes seconds
for a large record: without a limit, whoever has the passcode could keep all threads busy, and fill the log.

Counted per share, after the passcode was given, so that somebody who has only the link uses nothing up. The count is in
the cache, which may lose it; if the cache does not answer, nobody is refused.
"""

from typing import Final
from uuid import UUID

from django.core.cache import cache
from redis.exceptions import RedisError

MOST: Final = 60  # opening a page counts twice, because the passcode redirects to it; a clinic has several readers
SECONDS: Final = 600


class TooOften(Exception):
    """This share was opened or read too often in SECONDS. Wait."""


def count(share_id: UUID) -> None:
    """Count one more. Raises TooOften."""
    key = f"shared:{share_id}"
    try:
        cache.add(key, 0, timeout=SECONDS)
        counted = cache.incr(key)
    except (ValueError, RedisError):  # the key expired just now; the cache does not answer
        return
    if counted > MOST:
        raise TooOften
