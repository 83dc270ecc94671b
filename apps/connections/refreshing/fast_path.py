"""Store a usual success in one statement: the tokens, the audit event, and the count.

Usual means that nothing happened since the claim: the attempt still owns the row, the connection is active, and neither
its end nor its scope changes. The statement checks just that under its locks, or else changes nothing; then `storing`
reads the rows and decides. Separate round trips for begin, lock, writes and commit would cost more than everything else
that a refresh asks of the database.
"""

from datetime import datetime
from typing import Any

from django.db import connection as database

from apps.audit.recording import Actor, EventType
from apps.connections import connection_events, tallying
from apps.connections.refreshing import doubting
from apps.connections.refreshing.claiming import Claim

# Locks are taken in the order of `models.stored_token_set`: the connection before its token set.
_STORE = """
WITH linked AS (
    SELECT id FROM connections_connection
    WHERE id = %(connection_id)s AND status = 'active' AND granted_scope = %(granted_scope)s
        AND lapses_at IS NOT DISTINCT FROM %(lapses_at)s
    FOR NO KEY UPDATE
), stored AS (
    UPDATE connections_storedtokenset AS held SET {columns} FROM linked
    WHERE held.connection_id = linked.id AND held.generation = %(sent_generation)s AND held.attempt_id = %(attempt_id)s
    RETURNING held.connection_id
), noted AS ({note}), counted AS ({count})
SELECT count(*) FROM stored
"""


def store(
    claim: Claim,
    columns: dict[str, Any],
    *,
    lapses_at: datetime | None,
    granted_scope: str,
    actor: Actor,
    at: datetime,
) -> bool:
    """Whether this was the usual case, and is now written. `columns` of the token set are set, by name; the connection
    must already have this end and scope. Commits by itself: call it outside transactions."""
    note, noted = connection_events.connection_for_each(
        "stored", EventType.TOKENS_REFRESHED, claim.connection, at=at, actor=actor, generation=columns["generation"]
    )
    success = tallying.Outcome.SUCCEEDED
    proven_at = doubting.proven_at(claim, at=at)
    count, counted = tallying.for_each("stored", claim.connection.registration_id, success, at=proven_at)
    assignments = ", ".join(f"{name} = %(set_{name})s" for name in columns)
    parameters = {
        **noted,
        **counted,
        **{f"set_{name}": value for name, value in columns.items()},
        "connection_id": claim.connection.pk,
        "granted_scope": granted_scope,
        "lapses_at": lapses_at,
        "sent_generation": claim.sent.generation,
        "attempt_id": claim.sent.attempt_id,
    }
    with database.cursor() as cursor:
        cursor.execute(_STORE.format(columns=assignments, note=note, count=count), parameters)
        return bool(cursor.fetchone()[0])
