"""Count how refreshes end, by client registration: counters for monitors, true across processes and restarts.

Workers are other processes than the site that is asked for its metrics, on other machines perhaps, and are killed at
will: what they keep in memory or in files is lost or out of reach. So a count is part of the transaction that writes
down the outcome itself, and exists exactly when that does. One row for each count would make all workers that refresh
for one registration wait for each other; so each count is the sum of several, of which a database session always takes
the same one. The price is one statement by a unique index for each refresh.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Sum

from apps.connections.models import RefreshTally

Outcome = RefreshTally.Outcome

SHARDS = 16

_COUNT = """
INSERT INTO connections_refreshtally AS tally (registration_id, outcome, shard, times, last_at)
VALUES (%s, %s, pg_backend_pid() %% %s, 1, %s)
ON CONFLICT (registration_id, outcome, shard)
DO UPDATE SET times = tally.times + excluded.times, last_at = GREATEST(tally.last_at, excluded.last_at)
"""


def count(registration_id: UUID, outcome: Outcome, *, at: datetime | None) -> None:
    """Count a refresh that ended so. In the caller's transaction: it is the last row this locks, and it locks
    one, so that nobody waits for another for ever. `at`: what is kept as the last one's moment; None keeps none."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [registration_id, Outcome(outcome).value, SHARDS, at])


def for_each(rows: str, registration_id: UUID, outcome: Outcome, *, at: datetime | None) -> tuple[str, dict[str, Any]]:
    """The same as an INSERT and its parameters, for the WITH of the one statement that writes the outcome down: counts
    the rows of `rows`, which is the name of another part of that WITH."""
    return _FOR_EACH.format(rows=rows), {
        "tally_registration_id": registration_id,
        "tally_outcome": outcome.value,
        "tally_at": at,
    }


_FOR_EACH = f"""
INSERT INTO connections_refreshtally AS tally (registration_id, outcome, shard, times, last_at)
SELECT %(tally_registration_id)s, %(tally_outcome)s, pg_backend_pid() %% {SHARDS}, count(*), %(tally_at)s::timestamptz
FROM {{rows}} HAVING count(*) > 0
ON CONFLICT (registration_id, outcome, shard)
DO UPDATE SET times = tally.times + excluded.times, last_at = GREATEST(tally.last_at, excluded.last_at)
"""  # noqa: S608 # nosec B608 - of constants alone


def succeeded_since(registration_id: UUID, moment: datetime) -> bool:
    """Whether a refresh succeeded that was asked for after that, and whose moment is kept (`doubting.proven_at`)."""
    rows = RefreshTally.objects.filter(registration=registration_id, outcome=Outcome.SUCCEEDED, last_at__gt=moment)
    return rows.exists()


def totals() -> Mapping[tuple[UUID, Outcome], int]:
    """All counts, by registration and outcome. None ever becomes smaller while its registration exists."""
    rows = RefreshTally.objects.values_list("registration_id", "outcome").annotate(total=Sum("times"))
    return {(registration_id, Outcome(outcome)): int(total) for registration_id, outcome, total in rows.order_by()}
