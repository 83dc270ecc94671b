"""How often one share may be opened and read. Page and document are made from the record each time, which takes seconds
for a large record: without a limit, whoever has the passcode could keep all threads busy, and fill the log. A file
takes much less time, and one letter may have fifty pictures, so more of them are allowed. But a provider is asked for
files only as often as pages are made.

Counted per share, after the passcode was given, so that somebody who has only the link uses nothing up. The count is in
the cache, which may lose it; if the cache does not answer, nobody is refused.
"""

from typing import Final
from uuid import UUID

from django.core.cache import cache
from redis.exceptions import RedisError

MOST: Final = 60  # opening a page counts twice, because the passcode redirects to it; a clinic has several readers
SECONDS: Final = 600


MOST_FILES: Final = 300  # and pictures in files


class TooOften(Exception):
    """This share was opened or read too often in SECONDS. Wait."""


def count(share_id: UUID) -> None:
    """Count one more page or document, or request to a provider. Raises TooOften."""
    _count(f"shared:{share_id}", MOST)


def count_file(share_id: UUID) -> None:
    """Count one more file or picture. Raises TooOften."""
    _count(f"shared-files:{share_id}", MOST_FILES)


def _count(key: str, most: int) -> None:
    try:
        cache.add(key, 0, timeout=SECONDS)
        counted = cache.incr(key)
    except (ValueError, RedisError):  # the key expired just now; the cache does not answer
        return
    if counted > most:
        raise TooOften
