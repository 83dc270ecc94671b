"""Look up one link's tokens for use: whether anything prevents that, and what is stored.

One statement in raw SQL, because many readers may run it at the same moment, and building the ORM's two costs several
times as much as running them. Whoever waits for another's attempt reads only the row that it changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection as database

from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing.errors import NeedsReauthorization, SwitchedOff

# In the order of the model's fields, in which Django expects values (`loading`).
_STORED = (
    "connection_id", "registration_id", "sealed_access_token", "sealed_refresh_token", "generation", "lease_until",
    "not_before_at", "refresh_issued_at", "refresh_deadline_at", "access_expires_at",
)  # fmt: skip
_LOOK = f"""
SELECT statement_timestamp(), linked.status, endpoint.is_switched_on, registration.is_switched_on,
    registration.trouble, registration.trouble_at, registration.trouble_seen_at,
    {", ".join(f"stored.{column}" for column in _STORED)}
FROM connections_connection AS linked
JOIN directory_endpoint AS endpoint ON endpoint.id = linked.endpoint_id
JOIN directory_clientregistration AS registration ON registration.id = linked.registration_id
LEFT JOIN connections_storedtokenset AS stored ON stored.connection_id = linked.id
WHERE linked.id = %s
"""  # noqa: S608 # nosec B608 - of constants alone
_IS_UNDER_WAY = """
SELECT FROM connections_storedtokenset
WHERE connection_id = %s AND generation = %s AND lease_until > statement_timestamp()
"""


@dataclass(frozen=True, repr=False)
class Look:
    """A token set, without the columns that only an attempt needs, and the database's time."""

    stored: StoredTokenSet
    now: datetime

    @property
    def under_way_until(self) -> datetime | None:
        """When the lease of an attempt in progress expires; None if there is none."""
        lease_until = self.stored.lease_until
        return lease_until if lease_until is not None and lease_until > self.now else None


def look_up(connection: Connection) -> Look:
    """Look up the token set, and update the connection's status and its registration's trouble. Raises
    NeedsReauthorization if it is not active, has no tokens or was just deleted, and SwitchedOff if staff switched off
    what it needs."""
    with database.cursor() as cursor:
        cursor.execute(_LOOK, [connection.pk])
        row = cursor.fetchone()
    if row is None:
        raise NeedsReauthorization
    return _learned(connection, row)


def is_under_way(connection: Connection, *, generation: int) -> bool:
    """Whether an attempt on this generation is still in progress. Reads one row, so it can be called often; `look_up`
    then says what else happened."""
    with database.cursor() as cursor:
        cursor.execute(_IS_UNDER_WAY, [connection.pk, generation])
        return bool(cursor.rowcount)


def _learned(connection: Connection, row: Sequence[Any]) -> Look:
    now, connection.status, is_endpoint_on, is_registration_on, *rest = row
    known = connection.registration
    known.trouble, known.trouble_at, known.trouble_seen_at, *values = rest
    if not (is_endpoint_on and is_registration_on):
        raise SwitchedOff
    if values[0] is None or connection.status != Connection.Status.ACTIVE:
        raise NeedsReauthorization
    return Look(StoredTokenSet.from_db(database.alias, _STORED, values), now)
