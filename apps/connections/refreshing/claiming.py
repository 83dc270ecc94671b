"""Claim a connection's token set for one attempt to refresh it.

Whether it may be refreshed is decided on the row as it was read (`protocol.turn`). It is then claimed by one
conditional UPDATE, on the database's clock, which succeeds only if the row is unchanged: of many who try at once, one
gets it.
"""

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import connection as database
from django.db import transaction

from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import loading, policy, protocol, token_columns
from apps.connections.refreshing.loading import Loaded
from apps.connections.refreshing.policy import Policy
from apps.connections.refreshing.protocol import Sent, Standing, Turn
from apps.directory import reaching, registering
from apps.vault.sealing import Cabinet, Holder


@dataclass(frozen=True, kw_only=True, repr=False)
class Claim:
    """One attempt, exclusively ours until the lease expires. The connection is loaded with its endpoint and
    registration, the authorization server of each, and its token set as it was before the claim, without the access
    token."""

    connection: Connection
    sent: Sent
    policy: Policy
    was_refused: bool  # the organization had not enabled us, when it was last asked
    started_at: datetime  # on the database's clock
    keys: Cabinet  # the keys of its secrets and tokens, shared by all claims of one batch
    taken_at: float = field(default_factory=time.monotonic)

    @property
    def stored(self) -> StoredTokenSet:
        """The token set as it was read."""
        return self.connection.stored_token_set

    @property
    def rotates(self) -> bool | None:
        """Whether their server invalidates a refresh token when it is used, as far as we know."""
        return _rotates(self.stored, self.policy)

    @property
    def may_call(self) -> bool:
        """Whether a call that begins now ends within the lease."""
        return time.monotonic() - self.taken_at < protocol.CALL_WITHIN.total_seconds()


@dataclass(frozen=True, repr=False)
class _Wanted:
    """A token set that may be refreshed, as it was read."""

    loaded: Loaded
    standing: Standing
    policy: Policy
    sent: Sent

    @property
    def connection(self) -> Connection:
        return self.loaded.connection


# Conditions on the row itself use no subquery, so that the database checks them again after waiting for the lock of
# another worker; a subquery would see the rows as they were before. The switches are in other tables.
_TAKE = """
UPDATE connections_storedtokenset AS held
SET attempt_id = wanted.attempt_id, attempt_started_at = statement_timestamp(),
    lease_until = statement_timestamp() + %(lease)s, not_before_at = wanted.not_before_at,
    refresh_due_at = CASE WHEN wanted.is_resent THEN %(due_at)s
        WHEN held.refresh_due_at IS NOT NULL THEN GREATEST(%(due_at)s, wanted.not_before_at) END
FROM unnest(
    %(connections)s::uuid[], %(generations)s::int[], %(attempts)s::uuid[], %(seen_attempts)s::uuid[],
    %(seen_not_before)s::timestamptz[], %(not_before)s::timestamptz[], %(are_resent)s::bool[]
) AS wanted (
    connection_id, generation, attempt_id, seen_attempt_id, seen_not_before_at, not_before_at, is_resent
)
WHERE held.connection_id = wanted.connection_id AND held.generation = wanted.generation
    AND held.attempt_id IS NOT DISTINCT FROM wanted.seen_attempt_id
    AND held.not_before_at IS NOT DISTINCT FROM wanted.seen_not_before_at
    AND (held.lease_until IS NULL OR held.lease_until <= statement_timestamp())
    AND held.connection_id IN (
        SELECT linked.id FROM connections_connection AS linked
        JOIN directory_endpoint AS endpoint ON endpoint.id = linked.endpoint_id AND endpoint.is_switched_on
        JOIN directory_clientregistration AS registration
            ON registration.id = linked.registration_id AND registration.is_switched_on
        WHERE linked.id = ANY(%(connections)s::uuid[])
    )
RETURNING held.connection_id, held.attempt_started_at
"""
# Of many who saw the same tokens the first goes on; the others wait here for its claim, and then match no row.
_QUEUE = """
SELECT FROM connections_storedtokenset
WHERE connection_id = %s AND generation = %s AND (lease_until IS NULL OR lease_until <= statement_timestamp())
FOR NO KEY UPDATE
"""


def claim(ids: Collection[UUID], *, at: datetime, is_refused_too: bool = False) -> list[Claim]:
    """Claim those of these connections' token sets that may be refreshed now: the connection is active, nobody else has
    a claim, no wait is in force, staff neither switched it off nor have to repair our registration first, and this
    release knows how to ask. `is_refused_too` includes those that were refused and are doubted.

    A token set whose deadline passed is claimed too: attempting it asks nobody and marks the link as ended. Makes two
    statements, in the caller's transaction if there is one; commit before you call the provider.
    """
    wanted = {one.connection.pk: one for one in _wanted(loading.load(ids, is_refused_too=is_refused_too), at=at)}
    keys = Cabinet([Holder.installation(), *(token_columns.holder(one.connection) for one in wanted.values())])
    return [
        Claim(
            connection=one.connection,
            sent=one.sent,
            policy=one.policy,
            was_refused=one.loaded.was_refused,
            started_at=started_at,
            keys=keys,
        )
        for connection_id, started_at in _take(list(wanted.values()), at=at)
        for one in (wanted[connection_id],)
    ]


def claim_seen(connection: Connection, *, generation: int, at: datetime) -> list[Claim]:
    """The same for one link that many may want at this moment. Whoever comes too late, or saw an earlier generation, is
    turned away by one small query before anything else is loaded. The claim is committed when this returns."""
    with transaction.atomic():
        with database.cursor() as cursor:
            cursor.execute(_QUEUE, [connection.pk, generation])
            is_first = bool(cursor.rowcount)
        return claim([connection.pk], at=at) if is_first else []


def _wanted(found: Iterable[Loaded], *, at: datetime) -> Iterator[_Wanted]:
    for one in found:
        if not reaching.is_known(one.connection.endpoint, one.connection.registration):
            continue  # an operator's matter; nobody else waits for it
        stored, limits = one.connection.stored_token_set, policy.of(one.connection)
        standing = standing_of(stored)
        turn = protocol.turn(standing, rotates=_rotates(stored, limits), at=at, now=one.now)
        if turn is not Turn.WAIT and not is_kept_away(one.connection, stored, at=at):
            sent = Sent(stored.generation, uuid4(), protocol.unanswered_since(standing, now=one.now))
            yield _Wanted(one, standing, limits, sent)


def _take(wanted: list[_Wanted], *, at: datetime) -> list[tuple[UUID, datetime]]:
    if not wanted:
        return []
    columns: dict[str, list[Any]] = {
        "connections": [one.connection.pk for one in wanted],
        "generations": [one.sent.generation for one in wanted],
        "attempts": [one.sent.attempt_id for one in wanted],
        "seen_attempts": [one.standing.attempt_id for one in wanted],
        "seen_not_before": [one.standing.not_before_at for one in wanted],
        "not_before": [at + one.policy.floor for one in wanted],
        "are_resent": [_rotates(one.connection.stored_token_set, one.policy) is not False for one in wanted],
    }
    moments: dict[str, Any] = {"lease": protocol.LEASE, "due_at": at + protocol.LEASE}
    with database.cursor() as cursor:
        cursor.execute(_TAKE, {**columns, **moments})
        taken: list[tuple[UUID, datetime]] = cursor.fetchall()
    return taken


def standing_of(stored: StoredTokenSet) -> Standing:
    """The row in the form that `protocol` works on."""
    return Standing(
        generation=stored.generation,
        attempt_id=stored.attempt_id,
        attempt_started_at=stored.attempt_started_at,
        lease_until=stored.lease_until,
        not_before_at=stored.not_before_at,
    )


def is_kept_away(connection: Connection, stored: StoredTokenSet, *, at: datetime) -> bool:
    """Whether our registration is refused as a whole, and this link can wait until one link tests whether it still is
    (`registering.is_in_trouble`). Uses the registration as it is loaded."""
    again_at = registering.again_at(connection.registration)
    has_later = stored.refresh_deadline_at is None or again_at is None or again_at < stored.refresh_deadline_at
    return registering.is_in_trouble(connection.registration, at=at) and has_later


def _rotates(stored: StoredTokenSet, limits: Policy) -> bool | None:
    return limits.rotates if stored.is_rotated is None else stored.is_rotated
