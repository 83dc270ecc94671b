"""When the database takes nothing for now: it is away, or it can only be read, as one that was demoted and will be
replaced, or one whose disk somebody protects. Whoever has something that cannot be had again waits for it."""

from django.db import InterfaceError, InternalError, OperationalError
from psycopg.errors import ReadOnlySqlTransaction


def is_outage(error: BaseException) -> bool:
    """Whether this is such a time, and not a fault of what was asked."""
    if isinstance(error, (OperationalError, InterfaceError)):
        return True
    return isinstance(error, InternalError) and isinstance(error.__cause__, ReadOnlySqlTransaction)
