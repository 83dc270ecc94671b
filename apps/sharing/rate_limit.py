"""How often one share may be opened and read. Page and document are made from the record each time, which takes seconds
for a large record: without a limit, whoever has the passcode could keep all threads busy, and fill the log. A file
takes much less time, and one letter may have fifty pictures, so more of them are allowed. But a provider is asked for
files only as often as pages are made, and for one at a time: while it does not answer, each request takes a seat that
patients need to sign in there.

Counted per share, after the passcode was given, so that somebody who has only the link uses nothing up. The count is in
the cache, which may lose it; if the cache does not answer, nobody is refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID

from django.core.cache import cache
from redis.exceptions import RedisError

MOST: Final = 60  # opening a page counts twice, because the passcode redirects to it; a clinic has several readers
MOST_FILES: Final = 300  # and pictures in files
SECONDS: Final = 600
_LONGEST_REQUEST_SECONDS: Final = 180  # longer than a provider may take; if the process dies, others wait as long


class TooOften(Exception):
    """This share was opened or read too often in SECONDS. Wait."""


def count(share_id: UUID) -> None:
    """Count one more page or document, or request to a provider. Raises TooOften."""
    _count(f"shared:{share_id}", MOST)


def count_file(share_id: UUID) -> None:
    """Count one more file or picture. Raises TooOften."""
    _count(f"shared-files:{share_id}", MOST_FILES)


@contextmanager
def one_at_a_time(share_id: UUID) -> Iterator[bool]:
    """Yields whether no other request to a provider is under way for this share. Then none begins during the block."""
    key = f"shared-asking:{share_id}"
    try:
        is_only_one = bool(cache.add(key, 1, timeout=_LONGEST_REQUEST_SECONDS))
    except RedisError:
        is_only_one = True
    try:
        yield is_only_one
    finally:
        if is_only_one:
            with suppress(RedisError):
                cache.delete(key)


def _count(key: str, most: int) -> None:
    try:
        cache.add(key, 0, timeout=SECONDS)
        counted = cache.incr(key)
    except (ValueError, RedisError):  # the key expired just now; the cache does not answer
        return
    if counted > most:
        raise TooOften
