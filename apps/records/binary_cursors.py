"""Statements that carry many sealed values at once, such as a page of bodies.

Django's cursors write parameters into the statement as text: two letters for each byte, which Postgres converts back.
Here they are sent in binary. In such a statement, an array is written `%(name)b`, and anything else `%(name)s`.
"""

import psycopg
from django.db import connection as database
from django.db.backends.utils import CursorWrapper
from psycopg.pq import Format


def binary_cursor() -> CursorWrapper:
    """A cursor in the current transaction, to be closed by the caller, with Django's error handling and logging. Its
    results are sent in binary, too."""
    database.ensure_connection()
    cursor = psycopg.Cursor(database.connection)
    cursor.format = Format.BINARY
    wrapped: CursorWrapper = database._prepare_cursor(cursor)  # type: ignore[attr-defined]  # noqa: SLF001
    return wrapped
