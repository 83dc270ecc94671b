"""Where lists are published, according to a list of such lists: stored for staff, never fetched by us."""

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
_GONE = """
WHERE directory = %(directory)s AND vanished_at IS NULL AND NOT EXISTS (
    SELECT FROM import_published AS row WHERE row.name = held.name AND row.url = held.url
)
"""
_COUNT = f"""
SELECT (SELECT count(*) FROM directory_publishedlist WHERE directory = %(directory)s AND vanished_at IS NULL),
    (SELECT count(*) FROM directory_publishedlist AS held {_GONE})
"""  # noqa: S608 # nosec B608 - of constants
_VANISH = f"UPDATE directory_publishedlist AS held SET vanished_at = %(at)s {_GONE}"  # noqa: S608 # nosec B608 - of constants


def store(directory: str, *, is_complete: bool, accepts_shrinking: bool, at: datetime) -> tuple[int, int, int]:
    """Returns how many the list names, how many earlier ones vanished, and how many were spared because less than half
    are still named. None vanishes if a row could not be read."""
    parameters: dict[str, Any] = {"directory": directory, "at": at}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM (SELECT DISTINCT name, url FROM import_published) AS listed")
        listed = int(cursor.fetchone()[0])
        if not listed:
            return 0, 0, 0
        cursor.execute(_COUNT, parameters)
        held, gone = cursor.fetchone()
        cursor.execute(_CHANGE, parameters)
        cursor.execute(_ADD, parameters)
        if not is_complete:
            return listed, 0, 0
        if gone * 2 > held and not accepts_shrinking:
            return listed, 0, gone
        cursor.execute(_VANISH, parameters)
        return listed, gone, 0
