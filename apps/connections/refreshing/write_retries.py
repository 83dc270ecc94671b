"""Retry a write until the database accepts it, for responses that may contain the only valid token of a link."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import Error, transaction
from django.db import connection as database

from apps.connections import database_outages

_LOG = logging.getLogger(__name__)

WITHIN_SECONDS = 600.0  # long enough for a restart or failover of the database; a worker that is stopped may finish
_SOONEST_SECONDS, _LATEST_SECONDS = 0.05, 5.0

T = TypeVar("T")


def until_written(write: Callable[[], T], *, within_seconds: float = WITHIN_SECONDS) -> T:
    """Call `write` until the database accepts it, and return its result. `write` may be called again after a commit
    whose result was lost. If the database does not come back in time, raises its last error."""
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
    """Close the connection, so that the next try uses a new one. One returned to the pool alive would be handed out
    again, and after a failover it may lead to a read-only server for good."""
    if database.connection is not None:
        database.connection.close()
    database.close()
