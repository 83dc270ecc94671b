"""The moment, for whatever must agree about it across machines: the database's, which all processes share.

A floor, a wait and a deadline are written down by one process and judged by another. Where each took them from its own
machine, a clock that is a minute ahead would ask a minute too soon. Edges read the clock here and hand it on.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import connection as database

Clock = Callable[[], datetime]


def now() -> datetime:
    """The database's moment, by one statement; inside a transaction, too."""
    with database.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (moment,) = cursor.fetchone()
    return moment  # type: ignore[no-any-return]


def shared() -> Clock:
    """A clock that is right by the database's, asked once, and goes on by itself: for minutes, not for days."""
    return running_from(now())


def running_from(at: datetime) -> Clock:
    """A clock that stands at `at` now, and runs."""
    began = time.monotonic()
    return lambda: at + timedelta(seconds=time.monotonic() - began)
