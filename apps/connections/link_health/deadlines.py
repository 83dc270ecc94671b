"""How much time is left to the links that we refresh: for each client registration, how many end within which hours."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection

# Chosen around the times at which operators act and beat refreshes, and for idle limits of months.
EDGES = tuple(timedelta(hours=hours) for hours in (0, 1, 3, 6, 12, 18, 24, 36, 48, 168, 720, 2160))

# Answered from one index.
_SPREAD = """
SELECT registration_id, width_bucket(refresh_deadline_at, %(edges)s::timestamptz[]), count(*),
    sum(EXTRACT(EPOCH FROM refresh_deadline_at - %(at)s))::float8
FROM connections_storedtokenset
WHERE refresh_due_at IS NOT NULL AND refresh_deadline_at IS NOT NULL AND refused_at IS NULL
GROUP BY 1, 2
"""


@dataclass(frozen=True)
class Spread:
    """For one registration. `within` counts, for each of EDGES, the links that end before it; `total` counts all, and
    `seconds` is the sum of the time they have left."""

    within: tuple[int, ...]
    total: int
    seconds: float


def by_registration(*, at: datetime) -> Mapping[UUID, Spread]:
    """For each registration with a link that beat refreshes before a deadline."""
    counts: dict[UUID, list[int]] = defaultdict(lambda: [0] * (len(EDGES) + 1))
    seconds: dict[UUID, float] = defaultdict(float)
    with connection.cursor() as cursor:
        cursor.execute(_SPREAD, {"at": at, "edges": [at + edge for edge in EDGES]})
        for registration_id, bucket, number, left in cursor.fetchall():
            counts[registration_id][bucket] = number
            seconds[registration_id] += left
    return {found: _spread(counts[found], seconds[found]) for found in counts}


def _spread(counts: list[int], seconds: float) -> Spread:
    """Each edge counts everything that ends before it."""
    within = tuple(sum(counts[: place + 1]) for place in range(len(EDGES)))
    return Spread(within, sum(counts), seconds)
