"""How current each type is, for connections that were never checked as a whole, or not for long.

One type that never comes completely must not make every list say that copying has not finished, or that nothing is up
to date: a list says what is true of the types that it shows (patient experience 2.3). One query, if there is any such
connection.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from apps.records.binary_cursors import binary_cursor
from apps.records.models import SyncStep
from apps.records.subjects import Subject, shelved_for

_BELIEVED: Final = timedelta(minutes=5)  # clocks of ours may differ by less

# What came and is on no shelf yet is in no list, either.
_PROVEN: Final = """
SELECT run.connection_id, step.resource_type, max(run.created_at), bool_or(run.finished_at IS NOT NULL),
    max(step.finished_at) FILTER (
        WHERE NOT step.needs_shelf AND step.finished_at <= %(believed)b::timestamptz
        AND (step.status = %(complete)b OR step.gap = ANY(%(settled)b::text[]))
    )
FROM records_syncstep AS step JOIN records_syncrun AS run ON run.id = step.run_id
WHERE step.user_id = %(user_id)s AND run.connection_id = ANY(%(connections)b::uuid[])
GROUP BY run.connection_id, step.resource_type
"""


@dataclass(frozen=True)
class Freshness:
    """`by_type` is when each requested type was last known to be complete, as far as it is offered and shared; None if
    it never was. `is_copied`: a first copy has ended, whatever it brought."""

    by_type: Mapping[str, datetime | None]
    is_copied: bool

    def at(self, subjects: Collection[Subject]) -> datetime | None:
        """The time for the least current type behind these subjects; None if one was never complete, or there is
        none."""
        known = [at for name, at in self.by_type.items() if any(one in subjects for one in shelved_for(name))]
        return min((at for at in known if at), default=None) if all(known) else None


def of(user_id: UUID, connections: Iterable[UUID], *, at: datetime) -> Mapping[UUID, Freshness]:
    """By connection. A type that the latest run did not request is ignored, such as one of an FHIR version that the
    provider no longer speaks."""
    asked: dict[str, Any] = {
        "user_id": user_id,
        "connections": list(connections),
        "complete": SyncStep.Status.COMPLETE.value,
        "settled": [gap.value for gap in SyncStep.SETTLED],
        "believed": at + _BELIEVED,
    }
    if not asked["connections"]:
        return {}
    rows: dict[UUID, list[tuple[str, datetime, bool, datetime | None]]] = defaultdict(list)
    with binary_cursor() as cursor:
        cursor.execute(_PROVEN, asked)
        for connection_id, *row in cursor.fetchall():
            rows[connection_id].append((row[0], row[1], row[2], row[3]))
    return {connection_id: _of_one(found) for connection_id, found in rows.items()}


def _of_one(rows: Collection[tuple[str, datetime, bool, datetime | None]]) -> Freshness:
    latest = max(created_at for _name, created_at, _has_ended, _at in rows)
    by_type = {name: at for name, created_at, _has_ended, at in rows if created_at == latest}
    return Freshness(by_type, is_copied=any(has_ended for _name, _created_at, has_ended, _at in rows))
