"""Keep the vocabulary of searching in step with the providers that are listed."""

from django.db import connection, transaction

from apps.directory.models import SearchWord

_LISTED = """
DROP TABLE IF EXISTS listed_words;
CREATE TEMPORARY TABLE listed_words ON COMMIT DROP AS
SELECT word, count(*) AS uses FROM directory_provider CROSS JOIN unnest(words) AS word
WHERE vanished_at IS NULL GROUP BY word;
ANALYZE listed_words
"""
# Words that cannot be mistyped (too short, or with digits) need nothing but their count: most of a list's numbers.
_LEARN_PLAIN = """
INSERT INTO directory_searchword (word, uses, neighbours)
SELECT word, uses, '{}' FROM listed_words WHERE length(word) < 4 OR word ~ '[0-9]'
ON CONFLICT (word) DO NOTHING
"""
_MISSING = """
SELECT word FROM listed_words AS listed
WHERE NOT EXISTS (SELECT FROM directory_searchword AS known WHERE known.word = listed.word)
"""
_COUNT = """
UPDATE directory_searchword AS known SET uses = listed.uses FROM listed_words AS listed
WHERE known.word = listed.word AND known.uses <> listed.uses
"""
_FORGET = """
DELETE FROM directory_searchword AS known
WHERE NOT EXISTS (SELECT FROM listed_words AS listed WHERE listed.word = known.word)
"""


def learn_missing() -> int:
    """Add the words of listed providers that it lacks, count all again, and forget those of none. How many were added.

    To be called where providers were stored in another way than `Provider.save`; calling it twice changes nothing.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LISTED)
        cursor.execute(_LEARN_PLAIN)
        learnt = int(cursor.rowcount)
        cursor.execute(_MISSING)
        missing = [str(word) for (word,) in cursor.fetchall()]
        SearchWord.learn(missing)
        cursor.execute(_COUNT)
        cursor.execute(_FORGET)
    return learnt + len(missing)
