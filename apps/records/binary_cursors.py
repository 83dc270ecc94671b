"""Statements that carry many sealed values at once, such as a page of bodies.

Django's cursors write parameters into the statement as text: of each byte two letters, which Postgres reads back. Here
they travel as they are. In such a statement an array stands as `%(name)b`, anything else as `%(name)s`.
"""

import psycopg
from django.db import connection as database
from django.db.backends.utils import CursorWrapper
from psycopg.pq import Format


def binary_cursor() -> CursorWrapper:
    """A cursor to be closed, in the transaction that is under way; errors and logs are those of Django's own. What it
    answers travels as it is, too."""
    database.ensure_connection()
    cursor = psycopg.Cursor(database.connection)
    cursor.format = Format.BINARY
    wrapped: CursorWrapper = database._prepare_cursor(cursor)  # type: ignore[attr-defined]  # noqa: SLF001
    return wrapped
