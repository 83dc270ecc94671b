"""An answer that may hold the only live token of a link is written again until the database takes it."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import Error, transaction
from django.db import connection as database

from apps.connections import database_outages

_LOG = logging.getLogger(__name__)

WITHIN_SECONDS = 600.0  # a restart of the database, or a failover; a worker that ends is let finish
_SOONEST_SECONDS, _LATEST_SECONDS = 0.05, 5.0

T = TypeVar("T")


def until_written(write: Callable[[], T], *, within_seconds: float = WITHIN_SECONDS) -> T:
    """What `write` returns, at the first time that the database lets it. It may be called again after a commit whose
    answer got lost. Raises what the database raised last where it does not come back."""
    gives_up_at = time.monotonic() + within_seconds
    wait_seconds = _SOONEST_SECONDS
    while True:
        try:
            return write()
        except Error as error:
            if (
                not database_outages.is_outage(error)
                or transaction.get_connection().in_atomic_block
                or time.monotonic() > gives_up_at
            ):
                raise
            _LOG.warning("An answer could not be written, and is written again")
        _leave()
        time.sleep(wait_seconds)
        wait_seconds = min(wait_seconds * 2, _LATEST_SECONDS)


def _leave() -> None:
    """The next write goes over another connection. One that went back to the pool alive would be given out again, and
    after a failover it may lead for good to a server that can only be read."""
    if database.connection is not None:
        database.connection.close()
    database.close()
