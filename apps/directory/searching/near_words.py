"""Vocabulary words that are similar to a typed word."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db import connection

from apps.directory.words import mistyping

_MOST = 150  # per typed word, the most common
# Neighbour by neighbour, then word by word: for an array overlap with thirty elements, the planner expects a tenth of
# the vocabulary, and would scan and compare all of it.
_NEAR = f"""
WITH near AS MATERIALIZED (
    SELECT DISTINCT asked.typed, known.word
    FROM unnest(%(typed)s::varchar[], %(neighbours)s::varchar[]) AS asked (typed, neighbour)
    CROSS JOIN LATERAL (
        SELECT word FROM directory_wordneighbours WHERE neighbours @> ARRAY[asked.neighbour] OFFSET 0
    ) AS known
), counted AS (
    SELECT near.typed, near.word, known.uses,
        row_number() OVER (PARTITION BY near.typed ORDER BY known.uses DESC, near.word) AS place
    FROM near CROSS JOIN LATERAL (
        SELECT uses FROM directory_searchword WHERE word = near.word LIMIT 1
    ) AS known
)
SELECT typed, word, uses FROM counted WHERE place <= {_MOST}
"""  # noqa: S608 # nosec B608 - of constants


def of(typed: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
    """For each typed word, vocabulary words that share a deletion neighbour with it, and how many providers have each.
    Makes one query."""
    pairs = [(word, neighbour) for word in typed for neighbour in sorted(mistyping.typed_neighbours(word))]
    found: dict[str, dict[str, int]] = defaultdict(dict)
    if pairs:
        words, neighbours = (list(each) for each in zip(*pairs, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(_NEAR, {"typed": words, "neighbours": neighbours})
            for word, known, uses in cursor.fetchall():
                found[word][known] = uses
    return found
