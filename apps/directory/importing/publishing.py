"""Where lists are published, as a list of such lists says: kept for staff to look, never fetched by us."""

from datetime import datetime
from typing import Any

from django.db import connection

_CHANGE = """
UPDATE directory_publishedlist AS held SET file_name = row.file_name, imported_at = %(at)s, vanished_at = NULL
FROM (SELECT DISTINCT ON (name, url) name, url, file_name FROM import_published ORDER BY name, url, number) AS row
WHERE held.directory = %(directory)s AND held.name = row.name AND held.url = row.url
    AND (held.file_name <> row.file_name OR held.vanished_at IS NOT NULL)
"""
_ADD = """
INSERT INTO directory_publishedlist (directory, name, url, file_name, imported_at)
SELECT DISTINCT ON (name, url) %(directory)s, name, url, file_name, %(at)s::timestamptz FROM import_published
ORDER BY name, url, number
ON CONFLICT (directory, name, url) DO NOTHING
"""
_VANISH = """
UPDATE directory_publishedlist AS held SET vanished_at = %(at)s
WHERE directory = %(directory)s AND vanished_at IS NULL AND NOT EXISTS (
    SELECT FROM import_published AS row WHERE row.name = held.name AND row.url = held.url
)
"""


def store(directory: str, *, is_complete: bool, at: datetime) -> tuple[int, int]:
    """How many the list names, and how many of before vanished. Nothing vanishes where a row could not be read."""
    parameters: dict[str, Any] = {"directory": directory, "at": at}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM (SELECT DISTINCT name, url FROM import_published) AS listed")
        listed = int(cursor.fetchone()[0])
        if not listed:
            return 0, 0
        cursor.execute(_CHANGE, parameters)
        cursor.execute(_ADD, parameters)
        if is_complete:
            cursor.execute(_VANISH, parameters)
        return listed, int(cursor.rowcount) if is_complete else 0
