"""Keep the vocabulary of searching in step with the providers that are listed."""

from collections.abc import Collection, Iterable

from django.db import connection, transaction

from apps.directory.models import SearchWord
from apps.directory.words import mistyping

_ROWS = 500  # words whose neighbours are in memory at a time
_MOST_EARLY = 2000  # the same of a wave of an import

# Of words just learnt the planner knows nothing, and would compare each with each.
_COMPARE_TOGETHER = "SET LOCAL enable_nestloop = off"
_COMPARE_AS_BEFORE = "SET LOCAL enable_nestloop = on"
# Neighbours are filled in by `Neighbours` while an import goes on, and by `learn_missing`.
_PREPARE = """
CREATE TEMPORARY TABLE IF NOT EXISTS word_neighbours (word varchar(60) COLLATE "C", neighbours varchar(60)[])
    ON COMMIT DROP;
CREATE INDEX IF NOT EXISTS word_neighbours_by_word ON word_neighbours (word)
"""
_CLEAR = "DROP TABLE listed_words, missing_words, word_neighbours"
_LISTED = """
CREATE TEMPORARY TABLE listed_words ON COMMIT DROP AS
SELECT word COLLATE "C" AS word, count(*) AS uses FROM directory_provider CROSS JOIN unnest(words) AS word
WHERE vanished_at IS NULL GROUP BY word;
ANALYZE listed_words
"""
_MISSING = """
CREATE TEMPORARY TABLE missing_words ON COMMIT DROP AS
SELECT listed.word, listed.uses FROM listed_words AS listed
LEFT JOIN directory_searchword AS known ON known.word = listed.word WHERE known.word IS NULL
"""
# Words that cannot be mistyped (too short, or with digits) need nothing but their count: most of a list's numbers.
_MAY_BE_MISTYPED = "length(word) >= 4 AND word !~ '[0-9]'"
_MISTYPED = f"""
SELECT word FROM missing_words LEFT JOIN word_neighbours AS made USING (word)
WHERE made.neighbours IS NULL AND {_MAY_BE_MISTYPED}
"""  # noqa: S608 # nosec B608 - of constants
# Of a wave of an import: words of new providers that need nothing else are learnt, and counted when all are there.
# Those that need neighbours are told, so that they can be made meanwhile. Nobody else learns words before it ends.
LEARN_EARLY = f"""
WITH found AS MATERIALIZED (
    SELECT DISTINCT word COLLATE "C" AS word
    FROM import_first AS first JOIN import_provider AS row USING (number) CROSS JOIN unnest(row.words) AS word
    WHERE NOT first.is_held
), unknown AS MATERIALIZED (
    SELECT word, {_MAY_BE_MISTYPED} AS needs_neighbours FROM found
    LEFT JOIN LATERAL (
        SELECT true AS it_is FROM directory_searchword WHERE directory_searchword.word = found.word LIMIT 1
    ) AS known ON true
    WHERE known.it_is IS NULL
), learnt AS (
    INSERT INTO directory_searchword (word, uses, neighbours)
    SELECT word, 1, '{{}}' FROM unknown WHERE NOT needs_neighbours ORDER BY word
)
SELECT unknown.word FROM unknown
LEFT JOIN LATERAL (
    SELECT true AS they_are FROM word_neighbours WHERE word_neighbours.word = unknown.word LIMIT 1
) AS made ON true
WHERE needs_neighbours AND made.they_are IS NULL
LIMIT {_MOST_EARLY}
"""  # noqa: S608 # nosec B608 - of constants
_COPY = "COPY word_neighbours FROM STDIN"
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


class Neighbours:
    """Those of words that an import meets: made while the database merges a wave, and stored when it is free. What is
    left out here is `learn_missing`'s."""

    def __init__(self) -> None:
        self._met: list[str] = []
        self._before: frozenset[str] = frozenset()  # on their way, which the last wave could not see
        self._lines = ""

    def meet(self, words: Iterable[str]) -> None:
        """Take the words that LEARN_EARLY told."""
        self._met = [word for word in words if word not in self._before]

    def make(self) -> None:
        """Make those of the words met."""
        self._lines, self._before, self._met = _lines(self._met), frozenset(self._met), []

    def store(self) -> None:
        """Keep those made, for when the words are learnt."""
        if self._lines:
            with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
                copy.write(self._lines)
            self._lines = ""


def hold() -> None:
    """Let nobody else learn words until this transaction ends: for whoever uses LEARN_EARLY."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SearchWord.LOCK])
        cursor.execute(_PREPARE)


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
        cursor.execute(_CLEAR)
        cursor.execute(_COMPARE_AS_BEFORE)
    return learnt


def _copy_neighbours() -> None:
    """Let the database have the neighbours of missing words, a few words in memory at a time."""
    with connection.connection.cursor(name="mistyped_words") as words, connection.cursor() as cursor:
        words.execute(_MISTYPED)
        while rows := words.fetchmany(_ROWS):
            with cursor.copy(_COPY) as copy:
                copy.write(_lines(word for (word,) in rows))


def _lines(words: Iterable[str]) -> str:
    """Each word with its neighbours, as COPY reads them."""
    return "".join(f"{word}\t{_array(mistyping.neighbours(word))}\n" for word in words)


def _array(words: Collection[str]) -> str:
    """Letters alone, and yet: without quotes "null" would be none."""
    joined = '","'.join(words)
    return f'{{"{joined}"}}' if words else "{}"
