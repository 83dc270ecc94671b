"""Plain SQL for data routes, where a page of a hundred rows has two milliseconds of processor time in all."""

from collections.abc import Mapping
from typing import Any

import psycopg
from django.db import connection


def rows(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The rows of a statement, in binary: to a cursor of Django's every byte of a body comes as two hexadecimal digits,
    which costs a page half a millisecond. Raises Django's database errors."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement, values, binary=True).fetchall()
