"""How the last finished check of each of several connections ended: for pages about all of them."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from apps.records.binary_cursors import binary_cursor
from apps.records.models import SyncRun, SyncStep

# The newest finished run of each connection: an index has them in this order, however many there are.
_ENDED: Final = """
SELECT asked.id, run.finished_at, run.outcome, EXISTS (
    SELECT FROM records_syncstep AS step WHERE step.run_id = run.id AND step.gap = %(refused)b
)
FROM unnest(%(connections)b::uuid[]) AS asked (id) CROSS JOIN LATERAL (
    SELECT id, finished_at, outcome FROM records_syncrun
    WHERE connection_id = asked.id AND finished_at IS NOT NULL ORDER BY created_at DESC LIMIT 1
) AS run
"""


class LastCheck(NamedTuple):
    """`is_failed`: nothing was received. `is_refused`: the provider refused everything, and would do so again."""

    at: datetime
    is_failed: bool
    is_refused: bool


def of(connections: Iterable[UUID]) -> Mapping[UUID, LastCheck]:
    """By connection, leaving out those without a finished check. One query; none if there is no connection."""
    asked: dict[str, Any] = {"connections": list(connections), "refused": SyncStep.Gap.NOT_ENABLED.value}
    if not asked["connections"]:
        return {}
    with binary_cursor() as cursor:
        cursor.execute(_ENDED, asked)
        found = cursor.fetchall()
    return {pk: LastCheck(at, outcome == SyncRun.Outcome.FAILED, is_refused) for pk, at, outcome, is_refused in found}
