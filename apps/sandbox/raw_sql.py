"""Plain SQL for the data routes, where a page of a hundred rows may take two milliseconds of CPU time in all."""

from collections.abc import Mapping
from typing import Any

import psycopg
from django.db import connection


def rows(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The rows of a query, in binary format: Django's cursor receives each byte of a body as two hexadecimal digits,
    which costs half a millisecond per page. Raises Django's database errors."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement, values, binary=True).fetchall()
