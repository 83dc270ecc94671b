"""A look at one link for whoever wants to use its access token: whether anything keeps it from that, and what it holds.

One statement, written out: a herd of readers asks it at the same moment. Putting the ORM's two together anew each time
costs several times as much as asking. Whoever waits for another's attempt asks only for the row that it changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection as database

from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing.errors import NeedsReauthorization, SwitchedOff

# In the order of the model's fields, in which Django takes values (`loading`).
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
    """A token set, without what only an attempt needs, and the moment on the database's clock."""

    stored: StoredTokenSet
    now: datetime

    @property
    def under_way_until(self) -> datetime | None:
        """When the lease of whoever is asking for new tokens ends; None where nobody is."""
        lease_until = self.stored.lease_until
        return lease_until if lease_until is not None and lease_until > self.now else None


def look_up(connection: Connection) -> Look:
    """Also learns the connection's status, and whether its registration is in trouble. Raises NeedsReauthorization
    where it is not active, holds no tokens or went a moment ago, SwitchedOff where staff switched off what it needs."""
    with database.cursor() as cursor:
        cursor.execute(_LOOK, [connection.pk])
        row = cursor.fetchone()
    if row is None:
        raise NeedsReauthorization
    return _learned(connection, row)


def is_under_way(connection: Connection, *, generation: int) -> bool:
    """Whether somebody still asks for what comes after this generation. Told from one row, as often as one likes:
    whatever else happened meanwhile, the next `look` says."""
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
