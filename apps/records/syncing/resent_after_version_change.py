"""What a server sent again because it moved to another FHIR version: a whole record, but no news for its owner.

Its entries then have other ids, or other words for the same thing, so the rows cannot show what is really new. A type
counts as sent again if it came in the version that the server now states for the first time, within a week of the first
statement: a type may be late. A server that returns to a version it stated earlier sends nothing again.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from apps.records.binary_cursors import binary_cursor
from apps.records.syncing import watermarks

# Restricted to the runs of these connections, which are read once: left to itself, the planner reads everybody's runs
# for each subquery.
_SENT_ANEW: Final = """
WITH stated AS MATERIALIZED (
    SELECT id, connection_id, created_at, stated_version FROM records_syncrun
    WHERE connection_id = ANY(%(connections)b) AND stated_version <> ''
)
SELECT run.id, run.connection_id, step.resource_type, step.finished_at
FROM stated AS run
JOIN records_syncstep AS step ON step.run_id = run.id
WHERE step.finished_at > %(since)s AND step.rows_changed > 0
    AND EXISTS (
        SELECT FROM stated AS other
        WHERE other.connection_id = run.connection_id AND other.created_at < run.created_at
            AND other.stated_version <> run.stated_version
    )
    AND NOT EXISTS (
        SELECT FROM stated AS before
        WHERE before.connection_id = run.connection_id AND before.created_at < run.created_at
            AND before.stated_version = run.stated_version
            AND (
                before.created_at <= run.created_at - %(late)s
                OR EXISTS (
                    SELECT FROM records_syncstep AS same
                    WHERE same.run_id = before.id AND same.resource_type = step.resource_type
                        AND same.status = 'complete'
                )
            )
    )
"""


class Resent(NamedTuple):
    """One type that was sent again: by which connection, in which run, and until when."""

    run_id: UUID
    connection_id: UUID
    resource_type: str
    until: datetime


def since(connections: Collection[UUID], moment: datetime) -> tuple[Resent, ...]:
    """What these connections sent again after this moment."""
    if not connections:
        return ()
    asked: dict[str, Any] = {
        "connections": list(connections),
        "since": moment,
        "late": watermarks.FULL_PROOF_EVERY,
    }
    with binary_cursor() as cursor:
        cursor.execute(_SENT_ANEW, asked)
        return tuple(Resent(*row) for row in cursor.fetchall())
