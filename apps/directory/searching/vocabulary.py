"""Keep the vocabulary of searching in step with the providers that are listed."""

from collections.abc import Iterable

from django.db import connection, transaction

from apps.directory.models import SearchWord
from apps.directory.words import mistyping

_ROWS = 500  # words whose neighbours are in memory at a time
_MOST_EARLY = 2000  # the same of a wave of an import

# Of words just learnt the planner knows nothing, and would compare each with each.
_COMPARE_TOGETHER = "SET LOCAL enable_nestloop = off"
_COMPARE_AS_BEFORE = "SET LOCAL enable_nestloop = on"
_CLEAR = "DROP TABLE listed_words"
_LISTED = """
CREATE TEMPORARY TABLE listed_words ON COMMIT DROP AS
SELECT word COLLATE "C" AS word, count(*) AS uses FROM directory_provider CROSS JOIN unnest(words) AS word
WHERE vanished_at IS NULL GROUP BY word;
ANALYZE listed_words
"""
# In the order of the letters, so that an index is filled from one end to the other.
_LEARN = """
INSERT INTO directory_searchword (word, uses)
SELECT listed.word, listed.uses FROM listed_words AS listed
LEFT JOIN directory_searchword AS known ON known.word = listed.word WHERE known.word IS NULL ORDER BY listed.word
"""
_COUNT = """
UPDATE directory_searchword AS known SET uses = listed.uses FROM listed_words AS listed
WHERE known.word = listed.word AND known.uses <> listed.uses
"""
_FORGET = """
DELETE FROM directory_searchword AS known
WHERE NOT EXISTS (SELECT FROM listed_words AS listed WHERE listed.word = known.word)
"""
_FORGET_NEIGHBOURS = """
DELETE FROM directory_wordneighbours AS known
WHERE NOT EXISTS (SELECT FROM listed_words AS listed WHERE listed.word = known.word)
"""
# The others are too short, or have digits: most of a list's words.
_MAY_BE_MISTYPED = "length(word) >= 4 AND word !~ '[0-9]'"
_WITHOUT_NEIGHBOURS = f"""
SELECT listed.word FROM (SELECT word FROM listed_words WHERE {_MAY_BE_MISTYPED}) AS listed
LEFT JOIN directory_wordneighbours AS known ON known.word = listed.word WHERE known.word IS NULL
"""  # noqa: S608 # nosec B608 - of constants
# Of a wave of an import: words of new providers are learnt, and counted when all are there. Those that need neighbours
# are told, so that they can be made meanwhile. Nobody else learns words before it ends.
LEARN_EARLY = f"""
WITH found AS MATERIALIZED (
    SELECT DISTINCT word COLLATE "C" AS word
    FROM import_first AS first JOIN import_provider AS row USING (number) CROSS JOIN unnest(row.words) AS word
    WHERE NOT first.is_held
), unknown AS MATERIALIZED (
    SELECT word FROM found
    LEFT JOIN LATERAL (
        SELECT true AS it_is FROM directory_searchword WHERE directory_searchword.word = found.word LIMIT 1
    ) AS known ON true
    WHERE known.it_is IS NULL
), learnt AS (
    INSERT INTO directory_searchword (word, uses) SELECT word, 1 FROM unknown ORDER BY word
)
SELECT word FROM unknown WHERE {_MAY_BE_MISTYPED} LIMIT {_MOST_EARLY}
"""  # noqa: S608 # nosec B608 - of constants
# A line for each word, with its neighbours: one text is sent many times faster than thousands of lists.
STORE_NEIGHBOURS = """
INSERT INTO directory_wordneighbours (word, neighbours)
SELECT split_part(line, ' ', 1), string_to_array(split_part(line, ' ', 2), ',')
FROM string_to_table(%(neighbours)s, ';') AS line WHERE line <> ''
ON CONFLICT (word) DO NOTHING
"""
# New words wait beside their indexes, where each search reads through them, until there are many. Left to autovacuum
# where the site's role does not own the tables.
_SORT_IN = """
SELECT gin_clean_pending_list(oid) FROM pg_class
WHERE relname IN ('provider_words', 'word_neighbours') AND relkind = 'i' AND pg_table_is_visible(oid)
    AND pg_has_role(relowner, 'USAGE')
"""


class Neighbours:
    """Those of words that an import learns: made while the database merges a wave, and stored with the next. What is
    left out here is `learn_missing`'s."""

    def __init__(self) -> None:
        self._met: list[str] = []
        self.made = ""

    def meet(self, words: Iterable[str]) -> None:
        """Take the words that LEARN_EARLY told."""
        self._met = list(words)

    def make(self) -> None:
        """Make those of the words met; `made` is them then, the `neighbours` of STORE_NEIGHBOURS."""
        self.made, self._met = _lines(self._met), []


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
        cursor.execute(_LISTED)
        cursor.execute(_LEARN)
        learnt = int(cursor.rowcount)
        for statement in (_COUNT, _FORGET, _FORGET_NEIGHBOURS):
            cursor.execute(statement)
        _store_missing_neighbours()
        cursor.execute(_SORT_IN)
        cursor.execute(_CLEAR)
        cursor.execute(_COMPARE_AS_BEFORE)
    return learnt


def _store_missing_neighbours() -> None:
    """A few words in memory at a time."""
    with connection.connection.cursor(name="mistyped_words") as words, connection.cursor() as cursor:
        words.execute(_WITHOUT_NEIGHBOURS)
        while rows := words.fetchmany(_ROWS):
            cursor.execute(STORE_NEIGHBOURS, {"neighbours": _lines(word for (word,) in rows)})


def _lines(words: Iterable[str]) -> str:
    """Each word with its neighbours, letters alone."""
    return ";".join(f"{word} {','.join(mistyping.neighbours(word))}" for word in words)
