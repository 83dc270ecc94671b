"""Sites and the systems they are part of, once every wave is stored: which system each has, and the search words it
adds."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import connection

from apps.directory.words import spelling

_DEEPEST = 12  # of sites of sites
_ROWS = 2000
_MOST_WORDS, _LONGEST_WORD = 100, 60

_SYSTEMS = """
CREATE TEMPORARY TABLE import_system ON COMMIT DROP AS
SELECT site.provider_id, site.place, site.words, system.id AS system_id, system.name
FROM import_site AS site
LEFT JOIN import_listed AS listed ON listed.directory_id = site.system
LEFT JOIN directory_provider AS system
    ON system.directory = %(directory)s AND system.directory_id = listed.directory_id
"""
# A site whose chain of systems is circular or too long is part of nothing.
_CIRCLES = f"""
CREATE TEMPORARY TABLE import_circle ON COMMIT DROP AS
WITH RECURSIVE way (provider_id, at_id, depth) AS (
    SELECT provider_id, system_id, 1 FROM import_system WHERE system_id IS NOT NULL
    UNION ALL
    SELECT way.provider_id, above.system_id, way.depth + 1 FROM way
    JOIN import_system AS above ON above.provider_id = way.at_id
    WHERE above.system_id IS NOT NULL AND way.at_id <> way.provider_id AND way.depth < {_DEEPEST}
)
SELECT DISTINCT provider_id FROM way WHERE at_id = provider_id OR depth = {_DEEPEST}
"""  # noqa: S608 # nosec B608 - of constants
_REFUSE = """
INSERT INTO import_refusal (place, reason)
SELECT place, 'it is part of itself, and is listed as part of nothing' FROM import_system JOIN import_circle
USING (provider_id)
"""
_BREAK = "UPDATE import_system SET system_id = NULL, name = NULL WHERE provider_id IN (TABLE import_circle)"
_FOUND = "CREATE TEMPORARY TABLE import_found (provider_id uuid, words varchar(60)[]) ON COMMIT DROP"
_CHANGED = """
FROM import_found AS found JOIN import_system AS system USING (provider_id)
WHERE held.id = found.provider_id
    AND (held.words <> found.words OR held.part_of_id IS DISTINCT FROM system.system_id)
"""
_COUNT = f"""
SELECT count(*) FROM directory_provider AS held, LATERAL (SELECT 1 {_CHANGED}) AS changed
WHERE held.imported_at <> %(at)s
"""  # noqa: S608 # nosec B608 - of constants
_CHANGE = f"""
UPDATE directory_provider AS held SET words = found.words, part_of_id = system.system_id, imported_at = %(at)s
{_CHANGED}
"""  # noqa: S608 # nosec B608 - of constants


def settle(directory: str, *, at: datetime) -> int:
    """Store the system of each site of the list. Returns how many existing providers changed."""
    parameters: dict[str, Any] = {"directory": directory, "at": at}
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM import_site)")
        if not cursor.fetchone()[0]:
            return 0
        cursor.execute(_SYSTEMS, parameters)
        for statement in (_CIRCLES, _REFUSE, _BREAK, _FOUND):
            cursor.execute(statement)
        for lines in _lines():
            with cursor.copy("COPY import_found FROM STDIN") as copy:
                copy.write(lines)
        cursor.execute(_COUNT, parameters)
        changed = int(cursor.fetchone()[0])
        cursor.execute(_CHANGE, parameters)
    return changed


def _lines() -> Iterator[str]:
    """Each site with its own words and those of its system's name, in the format of COPY."""
    with connection.connection.cursor(name="import_sites") as sites:
        sites.execute("SELECT provider_id, words, name FROM import_system")
        while rows := sites.fetchmany(_ROWS):
            yield "".join(f"{row_id}\t{{{','.join(_words(words, name))}}}\n" for row_id, words, name in rows)


def _words(words: list[str], system_name: str | None) -> Iterator[str]:
    """As `spelling.provider_words` orders them: those of the system last."""
    lent = (word[:_LONGEST_WORD] for word in spelling.name_words(system_name or ""))
    return (f'"{word}"' for word in list(dict.fromkeys((*words, *lent)))[:_MOST_WORDS])
