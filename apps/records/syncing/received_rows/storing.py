"""Store resources as received: compressed, padded and sealed for their owner, each with a keyed digest of its body.

Storing is idempotent. A body whose digest we already hold is confirmed and not sealed again. A different body
supersedes the stored one, which is kept as a version unless it was stored in the same run: a provider that sends a
resource again and again, different each time, must not push out what it said before. One statement confirms the
unchanged rows of a page and one stores the rest, inside the transaction of the caller, who stores the cursor as well:
either everything is stored or nothing. Rows that are most likely new are added first, by a statement that looks up
nothing.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias
from uuid import UUID

import msgspec
from django.db.backends.utils import CursorWrapper

from apps.connections.models import Connection
from apps.records import bodies, places, resealing
from apps.records.binary_cursors import binary_cursor
from apps.records.syncing.received_rows import final_results
from apps.vault.sealing import KeyRing
from apps.wire import datetimes
from apps.wire.fhir import Resource

MOST_VERSIONS = 50  # of one resource, besides the current one

_Key: TypeAlias = tuple[str, str]  # type and logical id


class _Meta(msgspec.Struct):
    changed: Any = msgspec.field(default=None, name="lastUpdated")


class _Stamped(msgspec.Struct):
    meta: _Meta = msgspec.field(default_factory=_Meta)


_STAMPED: Final = msgspec.json.Decoder(_Stamped)


@dataclass(frozen=True)
class StoreCounts:
    """How many resources of a page were new, changed or unchanged; and how many of these had been gone. `concluded`:
    how many of the changed ones are results that somebody may have waited for (`final_results`)."""

    new: int
    changed: int
    unchanged: int
    came_back: int = 0
    concluded: int = 0

    @property
    def rows(self) -> int:
        """All of them."""
        return self.new + self.changed + self.unchanged

    @property
    def differing(self) -> int:
        """Those that pages must now show differently."""
        return self.new + self.changed + self.came_back


# Each statement reads the table by itself and compares with the page row by row: IS TRUE keeps Postgres from turning
# that into a join. Statistics may be wrong, as for a table that was emptied, vacuumed and filled again, and is believed
# to be empty: then any index seems as good as the right one, and the statement reads all rows of a person, or of
# everybody. Doing so once is bearable; a join did it for each row of the page, for minutes.
_AMONG: Final = """
    held.user_id = %(user_id)s AND held.connection_id = %(connection_id)s
    AND held.resource_type = ANY(%(kinds)b) AND held.logical_id = ANY(%(ids)b)
"""
_NAMED: Final = """
    ((held.resource_type, held.logical_id) IN (SELECT * FROM unnest(%(types)b::text[], %(ids)b::text[]))) IS TRUE
"""
_SAME: Final = """
    ((held.resource_type, held.logical_id, held.digest) IN (
        SELECT * FROM unnest(%(types)b::text[], %(ids)b::text[], %(digests)b::bytea[])
    )) IS TRUE
"""

# Within a run, the time of the first confirmation stays. So rows stored by this run have two equal times, which rows
# that an earlier run stored and this one confirmed do not have.
_CONFIRM: Final = f"""
UPDATE records_record AS held SET
    confirmed_at = CASE WHEN held.confirmed_by_run = %(run_id)s THEN held.confirmed_at ELSE %(at)s END,
    confirmed_by_run = %(run_id)s,
    unseen_at = NULL
WHERE {_AMONG} AND {_SAME}
RETURNING held.resource_type, held.logical_id, held.removed_at IS NOT NULL
"""  # noqa: S608 - parts of ours  # nosec B608

_BRING_BACK: Final = f"""
UPDATE records_record AS held SET removed_at = NULL WHERE {_AMONG} AND {_NAMED} AND held.removed_at IS NOT NULL
"""  # noqa: S608 - parts of ours  # nosec B608

_NEW: Final = """
    user_id, connection_id, resource_type, logical_id, digest, sealed_body,
    first_received_at, received_at, confirmed_at, confirmed_by_run
)
SELECT %(user_id)s, %(connection_id)s, resource_type, logical_id, digest, sealed_body,
    %(at)s, %(at)s, %(at)s, %(run_id)s
FROM unnest(%(types)b::text[], %(ids)b::text[], %(digests)b::bytea[], %(bodies)b::bytea[])
    AS page (resource_type, logical_id, digest, sealed_body)
ON CONFLICT (user_id, connection_id, resource_type, logical_id)
"""

# Rows held already are found by the unique index, which must be consulted anyway: wrong statistics cannot mislead this.
_ADD: Final = f"""
INSERT INTO records_record ({_NEW} DO NOTHING RETURNING resource_type, logical_id
"""

# Otherwise this run stored it before: comparing both bodies decides which one counts.
_MAY_BE_REPLACED: Final = "(%(is_newer)s OR held.confirmed_by_run IS DISTINCT FROM %(run_id)s)"
_BROUGHT_BEFORE: Final = f"""
SELECT held.resource_type, held.logical_id, held.sealed_body FROM records_record AS held
WHERE {_AMONG} AND {_NAMED} AND NOT {_SAME} AND held.confirmed_by_run = %(run_id)s
"""  # noqa: S608 - parts of ours  # nosec B608

_TO_BE_REPLACED: Final = f"""
SELECT held.resource_type, held.logical_id, held.sealed_body FROM records_record AS held
WHERE {_AMONG} AND {_NAMED} AND held.confirmed_by_run IS DISTINCT FROM %(run_id)s
"""  # noqa: S608 - parts of ours  # nosec B608

# The first part copies superseded bodies; it reads the rows as they were before the second part changes them.
_STORE: Final = f"""
WITH superseded AS (
    INSERT INTO records_recordversion (user_id, record_id, sealed_body, digest, received_at, superseded_at)
    SELECT held.user_id, held.id, held.sealed_body, held.digest, held.received_at, %(at)s
    FROM records_record AS held
    WHERE {_AMONG} AND {_NAMED} AND NOT {_SAME} AND {_MAY_BE_REPLACED}
        AND (held.confirmed_by_run IS DISTINCT FROM %(run_id)s OR held.confirmed_at <> held.received_at)
    RETURNING record_id
), stored AS (
    INSERT INTO records_record AS held ({_NEW} DO UPDATE SET
        digest = EXCLUDED.digest,
        sealed_body = EXCLUDED.sealed_body,
        received_at = EXCLUDED.received_at,
        confirmed_at = EXCLUDED.confirmed_at,
        confirmed_by_run = EXCLUDED.confirmed_by_run,
        removed_at = NULL,
        unseen_at = NULL
        WHERE {_MAY_BE_REPLACED}
    RETURNING id, xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new),
    (SELECT coalesce(array_agg(record_id), '{{}}') FROM superseded)
FROM stored
"""  # noqa: S608 - parts of ours  # nosec B608

_FORGET: Final = """
DELETE FROM records_recordversion WHERE record_id = ANY(%(records)b::bigint[]) AND (id IN (
    SELECT id FROM (
        SELECT version.id, row_number() OVER (
            PARTITION BY version.record_id ORDER BY version.superseded_at DESC, version.id DESC
        ) AS place, count(*) OVER (PARTITION BY version.record_id) AS oldest
        FROM records_recordversion AS version WHERE version.record_id = ANY(%(records)b::bigint[])
    ) AS placed WHERE place >= %(most)s AND place < oldest
)) IS TRUE
"""


def keep(
    connection: Connection,
    resources: Iterable[Resource],
    *,
    run_id: UUID,
    ring: KeyRing,
    at: datetime,
    new_types: Collection[str] = (),
) -> StoreCounts:
    """Store these resources of one connection, received in this sync run. `ring` is the key ring of its user.

    Of each resource, `MOST_VERSIONS` earlier bodies are kept, the first and the newest: some providers stamp every
    answer, so each copy would add a version, without end. If the same (type, id) comes twice in a run, the body that
    the provider changed last counts; if that is unknown, the later one (facts 1.4). `new_types` are types of which most
    likely nothing is held. They only make storing faster if that is right; the result is the same either way.
    """
    latest: dict[_Key, Resource] = {}
    for resource in resources:
        key = (resource.resource_type, resource.logical_id)
        if key not in latest or not _is_older(resource.body, than=latest[key].body):
            latest[key] = resource
    if not latest:
        return StoreCounts(0, 0, 0)
    resealing.before_comparing(connection, latest, ring=ring)
    digests = {key: ring.keyed_digest(row.body) for key, row in latest.items()}
    page = _Page(connection, latest, ring, {"at": at, "run_id": run_id})
    with binary_cursor() as cursor:
        added = page.add(cursor, {key: digest for key, digest in digests.items() if key[0] in new_types})
        held = {key: digest for key, digest in digests.items() if key not in added} if added else digests
        same = page.confirm(cursor, held)
        others = {key: digest for key, digest in held.items() if key not in same}
        concluded = page.concluded(cursor, others)
        new, changed = page.store(cursor, others)
    unchanged = len(latest) - len(added) - new - changed
    return StoreCounts(len(added) + new, changed, unchanged, came_back=sum(same.values()), concluded=concluded)


def _is_older(body: bytes, *, than: bytes) -> bool:
    """Whether it is older than the other, by the provider's own times."""
    mine, other = _changed_at(body), _changed_at(than)
    return mine is not None and other is not None and mine < other


def _changed_at(body: bytes) -> datetime | None:
    try:
        found = datetimes.parse(_STAMPED.decode(body).meta.changed)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return found.starts_at if found is not None else None


@dataclass(frozen=True)
class _Page:
    """Resources that came together, with the key that seals them and the run they belong to. Each step takes the
    digests of its rows."""

    connection: Connection
    latest: Mapping[_Key, Resource]
    ring: KeyRing
    common: Mapping[str, Any]

    def add(self, cursor: CursorWrapper, digests: Mapping[_Key, bytes]) -> set[_Key]:
        """Store the resources of which nothing is held, and return their keys."""
        if not digests:
            return set()
        cursor.execute(_ADD, {**self._values(digests), "bodies": self._sealed(digests)})
        return set(cursor.fetchall())

    def confirm(self, cursor: CursorWrapper, digests: Mapping[_Key, bytes]) -> dict[_Key, bool]:
        """Confirm resources whose body is held unchanged. Returns their keys, and whether each had been gone."""
        if not digests:
            return {}
        cursor.execute(_CONFIRM, self._values(digests))
        same = {(resource_type, logical_id): is_gone for resource_type, logical_id, is_gone in cursor.fetchall()}
        back = {key: digests[key] for key, is_gone in same.items() if is_gone}
        if back:
            cursor.execute(_BRING_BACK, self._values(back))
        return same

    def concluded(self, cursor: CursorWrapper, digests: Mapping[_Key, bytes]) -> int:
        """How many of these, which are new or changed, are results that are final now and were not before."""
        there = {
            key: digest for key, digest in digests.items() if final_results.is_there(key[0], self.latest[key].body)
        }
        if not there:
            return 0
        cursor.execute(_TO_BE_REPLACED, self._values(there))
        return sum(self._is_concluded((row[0], row[1]), before=row[2]) for row in cursor.fetchall())

    def _is_concluded(self, key: _Key, *, before: bytes) -> bool:
        body = self._opened(key, before)
        return body is not None and final_results.is_concluded(self.latest[key].body, before=body)

    def store(self, cursor: CursorWrapper, digests: Mapping[_Key, bytes]) -> tuple[int, int]:
        """Store all except what is older than what this run stored before. Returns how many were new, and how many
        changed."""
        new, changed = self._store(cursor, digests, is_newer=False)
        if new + changed == len(digests):
            return new, changed
        cursor.execute(_BROUGHT_BEFORE, self._values(digests))
        before = {(resource_type, logical_id): sealed for resource_type, logical_id, sealed in cursor.fetchall()}
        newer = {key: digests[key] for key, sealed in before.items() if not self._is_older(key, than=sealed)}
        return new, changed + self._store(cursor, newer, is_newer=True)[1]

    def _is_older(self, key: _Key, *, than: bytes) -> bool:
        body = self._opened(key, than)
        return body is not None and _is_older(self.latest[key].body, than=body)

    def _opened(self, key: _Key, sealed: bytes) -> bytes | None:
        named = {"resource_type": key[0], "logical_id": key[1]}
        return bodies.find(sealed, self.ring, connection_id=self.connection.id, **named)

    def _store(self, cursor: CursorWrapper, digests: Mapping[_Key, bytes], *, is_newer: bool) -> tuple[int, int]:
        if not digests:
            return 0, 0
        cursor.execute(_STORE, {**self._values(digests), "bodies": self._sealed(digests), "is_newer": is_newer})
        new, changed, superseded = cursor.fetchone()
        if superseded:
            cursor.execute(_FORGET, {"records": superseded, "most": MOST_VERSIONS})
        return new, changed

    def _values(self, digests: Mapping[_Key, bytes]) -> dict[str, Any]:
        """The columns of these rows, as the statements take them."""
        return {
            **self.common,
            "user_id": self.connection.user_id,
            "connection_id": self.connection.id,
            "kinds": sorted({resource_type for resource_type, _id in digests}),
            "types": [resource_type for resource_type, _id in digests],
            "ids": [logical_id for _type, logical_id in digests],
            "digests": list(digests.values()),
        }

    def _sealed(self, keys: Iterable[_Key]) -> list[bytes]:
        return [self._sealed_one(*key) for key in keys]

    def _sealed_one(self, resource_type: str, logical_id: str) -> bytes:
        place = places.body_place(connection_id=self.connection.id, resource_type=resource_type, logical_id=logical_id)
        return self.ring.seal_body(self.latest[resource_type, logical_id].body, place=place)
