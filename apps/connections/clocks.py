"""The database's clock, for whatever must agree about the time across machines.

A floor, a wait or a deadline is written by one process and judged by another. If each took the time from its own
machine, one whose clock is a minute ahead would ask a minute too early. Edges read this clock and pass the time on.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import connection as database

Clock = Callable[[], datetime]


def now() -> datetime:
    """The database's current time, by one statement; also within a transaction it is the actual time."""
    with database.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (moment,) = cursor.fetchone()
    return moment  # type: ignore[no-any-return]


def shared() -> Clock:
    """A clock that was set by the database's once and runs on by itself: for minutes, not for days."""
    return running_from(now())


def running_from(at: datetime) -> Clock:
    """A clock that shows `at` now, and runs."""
    began = time.monotonic()
    return lambda: at + timedelta(seconds=time.monotonic() - began)
