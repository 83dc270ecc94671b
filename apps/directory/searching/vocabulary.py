"""Keep the search vocabulary in sync with the listed providers."""

from collections.abc import Iterable

from django.db import connection, transaction

from apps.directory.models import SearchWord
from apps.directory.words import mistyping

_ROWS = 500  # words whose neighbours are in memory at once
_MOST_EARLY = 2000  # the same, for a wave of an import

# The planner has no statistics of words that were just added, and would choose a nested loop over all pairs.
_COMPARE_TOGETHER = "SET LOCAL enable_nestloop = off"
_COMPARE_AS_BEFORE = "SET LOCAL enable_nestloop = on"
_CLEAR = "DROP TABLE listed_words"
_LISTED = """
CREATE TEMPORARY TABLE listed_words ON COMMIT DROP AS
SELECT word COLLATE "C" AS word, count(*) AS uses FROM directory_provider CROSS JOIN unnest(words) AS word
WHERE vanished_at IS NULL GROUP BY word;
ANALYZE listed_words
"""
# In alphabetical order, so that an index is filled sequentially.
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
# The others, most of a list's words, are too short or have digits.
_MAY_BE_MISTYPED = "length(word) >= 4 AND word !~ '[0-9]'"
_WITHOUT_NEIGHBOURS = f"""
SELECT listed.word FROM (SELECT word FROM listed_words WHERE {_MAY_BE_MISTYPED}) AS listed
LEFT JOIN directory_wordneighbours AS known ON known.word = listed.word WHERE known.word IS NULL
"""  # noqa: S608 # nosec B608 - of constants
# For a wave of an import: words of new providers are added, and counted at the end of the import. Words that need
# neighbours are returned, so that these can be computed meanwhile. Nobody else adds words before the import ends.
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
# One entry per word, with its neighbours: one text is sent many times faster than thousands of lists.
STORE_NEIGHBOURS = """
INSERT INTO directory_wordneighbours (word, neighbours)
SELECT split_part(line, ' ', 1), string_to_array(split_part(line, ' ', 2), ',')
FROM string_to_table(%(neighbours)s, ';') AS line WHERE line <> ''
ON CONFLICT (word) DO NOTHING
"""
# New words stay in the GIN index's pending list, which each search scans, until there are many. Left to autovacuum if
# the site's role does not own the tables.
_SORT_IN = """
SELECT gin_clean_pending_list(oid) FROM pg_class
WHERE relname IN ('provider_words', 'word_neighbours') AND relkind = 'i' AND pg_table_is_visible(oid)
    AND pg_has_role(relowner, 'USAGE')
"""


class Neighbours:
    """Deletion neighbours of words that an import adds: computed while the database merges a wave, and stored with the
    next. Any that are left out are added by `learn_missing`."""

    def __init__(self) -> None:
        self._met: list[str] = []
        self.made = ""

    def meet(self, words: Iterable[str]) -> None:
        """Take the words that LEARN_EARLY returned."""
        self._met = list(words)

    def make(self) -> None:
        """Compute the neighbours of these words; `made` is then the parameter `neighbours` of STORE_NEIGHBOURS."""
        self.made, self._met = _lines(self._met), []


def hold() -> None:
    """Keep others from adding words until this transaction ends, for users of LEARN_EARLY."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SearchWord.LOCK])


def learn_missing() -> int:
    """Add missing words of listed providers, count all again, and delete unused ones. Returns how many were added.

    Call it after providers were stored other than by `Provider.save`. Calling it again changes nothing.
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
    """In batches, to bound memory."""
    with connection.connection.cursor(name="mistyped_words") as words, connection.cursor() as cursor:
        words.execute(_WITHOUT_NEIGHBOURS)
        while rows := words.fetchmany(_ROWS):
            cursor.execute(STORE_NEIGHBOURS, {"neighbours": _lines(word for (word,) in rows)})


def _lines(words: Iterable[str]) -> str:
    """Each word with its neighbours, which have only letters."""
    return ";".join(f"{word} {','.join(mistyping.neighbours(word))}" for word in words)
