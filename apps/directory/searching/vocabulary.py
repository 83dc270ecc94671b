"""Keep the vocabulary of searching in step with the providers that are listed."""

from collections.abc import Iterable

from django.db import connection, transaction

from apps.directory.models import SearchWord
from apps.directory.words import mistyping

_ROWS = 500  # words whose neighbours are in memory at a time

# Of words just learnt the planner knows nothing, and would compare each with each.
_COMPARE_TOGETHER = "SET LOCAL enable_nestloop = off"
_COMPARE_AS_BEFORE = "SET LOCAL enable_nestloop = on"
_LISTED = """
DROP TABLE IF EXISTS listed_words, missing_words, word_neighbours;
CREATE TEMPORARY TABLE listed_words ON COMMIT DROP AS
SELECT word COLLATE "C" AS word, count(*) AS uses FROM directory_provider CROSS JOIN unnest(words) AS word
WHERE vanished_at IS NULL GROUP BY word;
ANALYZE listed_words
"""
_MISSING = """
CREATE TEMPORARY TABLE missing_words ON COMMIT DROP AS
SELECT listed.word, listed.uses FROM listed_words AS listed
LEFT JOIN directory_searchword AS known ON known.word = listed.word WHERE known.word IS NULL;
CREATE TEMPORARY TABLE word_neighbours (word varchar(60) COLLATE "C", neighbours varchar(60)[]) ON COMMIT DROP
"""
# Words that cannot be mistyped (too short, or with digits) need nothing but their count: most of a list's numbers.
_MISTYPED = "SELECT word FROM missing_words WHERE length(word) >= 4 AND word !~ '[0-9]'"
# Of a wave of an import: words of new providers that need nothing else. Each is counted when all are there.
LEARN_EARLY = """
INSERT INTO directory_searchword (word, uses, neighbours)
SELECT word, 1, '{}' FROM (
    SELECT DISTINCT word COLLATE "C" AS word
    FROM import_first AS first JOIN import_provider AS row USING (number) CROSS JOIN unnest(row.words) AS word
    WHERE NOT first.is_held AND (length(word) < 4 OR word ~ '[0-9]')
) AS found ORDER BY word
ON CONFLICT (word) DO NOTHING
"""
# In the order of the letters, so that an index is filled from one end to the other.
_LEARN = """
INSERT INTO directory_searchword (word, uses, neighbours)
SELECT word, missing.uses, coalesce(known.neighbours, '{}')
FROM missing_words AS missing LEFT JOIN word_neighbours AS known USING (word) ORDER BY word
ON CONFLICT (word) DO NOTHING
"""
_COUNT = """
UPDATE directory_searchword AS known SET uses = listed.uses FROM listed_words AS listed
WHERE known.word = listed.word AND known.uses <> listed.uses
"""
_FORGET = """
DELETE FROM directory_searchword AS known
WHERE NOT EXISTS (SELECT FROM listed_words AS listed WHERE listed.word = known.word)
"""
# New words wait beside their indexes, where each search reads through them, until there are many. Left to autovacuum
# where the site's role does not own the tables.
_SORT_IN = """
SELECT gin_clean_pending_list(oid) FROM pg_class
WHERE relname IN ('provider_words', 'search_word_neighbours') AND relkind = 'i' AND pg_table_is_visible(oid)
    AND pg_has_role(relowner, 'USAGE')
"""


def hold() -> None:
    """Let nobody else learn words until this transaction ends: for whoever uses LEARN_EARLY."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SearchWord.LOCK])


def learn_missing() -> int:
    """Add the words of listed providers that it lacks, count all again, and forget those of none. How many were added.

    To be called where providers were stored in another way than `Provider.save`; calling it twice changes nothing.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        hold()
        cursor.execute(_COMPARE_TOGETHER)
        for statement in (_LISTED, _MISSING):
            cursor.execute(statement)
        _copy_neighbours()
        cursor.execute(_LEARN)
        learnt = int(cursor.rowcount)
        cursor.execute(_COUNT)
        cursor.execute(_FORGET)
        cursor.execute(_SORT_IN)
        cursor.execute(_COMPARE_AS_BEFORE)
    return learnt


def _copy_neighbours() -> None:
    """Let the database have the neighbours of missing words, a few words in memory at a time."""
    with connection.connection.cursor(name="mistyped_words") as words, connection.cursor() as cursor:
        words.execute(_MISTYPED)
        while rows := words.fetchmany(_ROWS):
            with cursor.copy("COPY word_neighbours FROM STDIN") as copy:
                copy.write("".join(f"{word}\t{{{_quoted(mistyping.neighbours(word))}}}\n" for (word,) in rows))


def _quoted(words: Iterable[str]) -> str:
    """Letters alone, and yet: without quotes "null" would be none."""
    return ",".join(f'"{word}"' for word in words)
