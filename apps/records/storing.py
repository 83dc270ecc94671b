"""Store resources as received: compressed, padded, sealed for their owner, each with a keyed digest of its body.

Storing is idempotent. A body with the digest we hold is confirmed; another body supersedes it, and the earlier one is
kept as a version. One statement stores a whole page, inside the transaction of the caller, who stores the cursor with
it: either both are there or neither.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection as database

from apps.connections.models import Connection
from apps.records import places
from apps.vault.sealing import KeyRing
from apps.wire.fhir import Resource


@dataclass(frozen=True)
class Kept:
    """How many resources of a page were new, changed, or just as we had them."""

    new: int
    changed: int
    unchanged: int

    @property
    def rows(self) -> int:
        """All of them."""
        return self.new + self.changed + self.unchanged


# The first part moves what is superseded; it reads the rows as they were before the second part changes them.
_STORE = """
WITH incoming AS (
    SELECT * FROM unnest(%(types)s::text[], %(ids)s::text[], %(digests)s::bytea[], %(bodies)s::bytea[])
        AS page (resource_type, logical_id, digest, sealed_body)
), superseded AS (
    INSERT INTO records_recordversion (user_id, record_id, sealed_body, digest, received_at, superseded_at)
    SELECT held.user_id, held.id, held.sealed_body, held.digest, held.received_at, %(at)s
    FROM records_record AS held JOIN incoming USING (resource_type, logical_id)
    WHERE held.user_id = %(user_id)s AND held.connection_id = %(connection_id)s AND held.digest <> incoming.digest
    RETURNING record_id
), stored AS (
    INSERT INTO records_record AS held (
        user_id, connection_id, resource_type, logical_id, digest, sealed_body,
        first_received_at, received_at, confirmed_at, confirmed_by_run
    )
    SELECT %(user_id)s, %(connection_id)s, resource_type, logical_id, digest, sealed_body,
        %(at)s, %(at)s, %(at)s, %(run_id)s
    FROM incoming
    ON CONFLICT (user_id, connection_id, resource_type, logical_id) DO UPDATE SET
        digest = EXCLUDED.digest,
        sealed_body = CASE WHEN held.digest = EXCLUDED.digest THEN held.sealed_body ELSE EXCLUDED.sealed_body END,
        received_at = CASE WHEN held.digest = EXCLUDED.digest THEN held.received_at ELSE EXCLUDED.received_at END,
        confirmed_at = EXCLUDED.confirmed_at,
        confirmed_by_run = EXCLUDED.confirmed_by_run
    RETURNING id, xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE is_new), (SELECT count(*) FROM superseded), count(*) FROM stored
"""


def keep(connection: Connection, resources: Iterable[Resource], *, run_id: UUID, ring: KeyRing, at: datetime) -> Kept:
    """Store these resources of one connection, received in this sync run. `ring` is the key ring of its user.

    Where one (type, id) comes twice, the later one counts: one statement cannot store a row twice.
    """
    latest = {(resource.resource_type, resource.logical_id): resource for resource in resources}
    if not latest:
        return Kept(0, 0, 0)
    rows = list(latest.values())
    with database.cursor() as cursor:
        cursor.execute(
            _STORE,
            {
                "user_id": connection.user_id,
                "connection_id": connection.id,
                "types": [row.resource_type for row in rows],
                "ids": [row.logical_id for row in rows],
                "digests": [ring.keyed_digest(row.body) for row in rows],
                "bodies": [_sealed(connection, row, ring) for row in rows],
                "at": at,
                "run_id": run_id,
            },
        )
        new, changed, stored = cursor.fetchone()
    return Kept(new=new, changed=changed, unchanged=stored - new - changed)


def _sealed(connection: Connection, row: Resource, ring: KeyRing) -> bytes:
    place = places.body_place(connection_id=connection.id, resource_type=row.resource_type, logical_id=row.logical_id)
    return ring.seal_body(row.body, place=place)
