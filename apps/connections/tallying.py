"""Count how refreshes end, by client registration: counters for monitors, exact across processes and restarts.

Workers are other processes than the site that serves metrics, perhaps on other machines, and may be killed at any time.
What they keep in memory or files is lost or out of reach. So a count is written in the transaction that writes the
outcome itself, and exists exactly if that does. With one row per count, all workers refreshing for one registration
would wait for each other. So each count is the sum of several rows (shards), of which a database session always uses
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
    """Count a refresh, in the caller's transaction. It locks one row, and is the last to lock any, so that no deadlock
    can occur. `at` is stored as the time of the last one; None stores nothing."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [registration_id, Outcome(outcome).value, SHARDS, at])


def for_each(rows: str, registration_id: UUID, outcome: Outcome, *, at: datetime | None) -> tuple[str, dict[str, Any]]:
    """The same as an INSERT and its parameters, for the WITH clause of the statement that writes the outcome. It counts
    the rows of `rows`, the name of another part of that WITH clause."""
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
    """Whether a refresh that was requested after `moment` succeeded and has its time stored (`doubting.proven_at`)."""
    rows = RefreshTally.objects.filter(registration=registration_id, outcome=Outcome.SUCCEEDED, last_at__gt=moment)
    return rows.exists()


def totals() -> Mapping[tuple[UUID, Outcome], int]:
    """All counts, by registration and outcome. None ever decreases while its registration exists."""
    rows = RefreshTally.objects.values_list("registration_id", "outcome").annotate(total=Sum("times"))
    return {(registration_id, Outcome(outcome)): int(total) for registration_id, outcome, total in rows.order_by()}
