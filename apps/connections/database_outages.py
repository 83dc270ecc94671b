"""Recognize when the database accepts no writes for now: it is down, or read-only because it was demoted or its disk is
being protected. Code that holds something irreplaceable waits and tries again."""

from django.db import InterfaceError, InternalError, OperationalError
from psycopg.errors import ReadOnlySqlTransaction


def is_outage(error: BaseException) -> bool:
    """Whether the error is an outage, and not a fault of the statement."""
    if isinstance(error, (OperationalError, InterfaceError)):
        return True
    return isinstance(error, InternalError) and isinstance(error.__cause__, ReadOnlySqlTransaction)
