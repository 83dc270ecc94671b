"""When a connection ends or has ended, or went silent, as far as its columns tell: before its status does.

Pure, on loaded rows (the endpoint's silence among them): of the token set only its times are read.
"""

from datetime import datetime, timedelta

from apps.connections import hearing
from apps.connections.grants import permission_terms
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.directory import reaching
from apps.wire.dialects import Dialect


def token_set(connection: Connection) -> StoredTokenSet | None:
    """Its stored token set, where it has one."""
    stored: StoredTokenSet | None = getattr(connection, "stored_token_set", None)
    return stored


def known(connection: Connection) -> datetime | None:
    """An end that nothing we do can prolong; None where we can go on, or nobody knows."""
    if connection.lapses_at is not None:
        return connection.lapses_at
    stored = token_set(connection)
    is_left_alone = stored is not None and stored.refresh_due_at is None and stored.parked_endpoint_id is None
    return stored.refresh_deadline_at if stored is not None and is_left_alone else None


def is_window(connection: Connection) -> bool:
    """Whether the refresh token has a time limit of its own, however often it is used."""
    dialect = _dialect(connection)
    return dialect is not None and dialect.refresh_window_hours is not None


def ended_at(connection: Connection) -> datetime | None:
    """When its refresh token became useless, or will."""
    stored = token_set(connection)
    moments = [connection.lapses_at, stored.refresh_deadline_at if stored else None, _rested_too_long_at(connection)]
    return min((moment for moment in moments if moment is not None), default=None)


def last_used_at(connection: Connection) -> datetime | None:
    """When its refresh token was last exchanged, or issued."""
    stored = token_set(connection)
    return (stored.refresh_used_at or stored.refresh_issued_at) if stored else None


def idle_limit(connection: Connection) -> timedelta | None:
    """How long the permission may rest; None where no limit is stated, or where it ends with a session anyway."""
    dialect = _dialect(connection)
    days = dialect.idle_limit_days if dialect is not None else None
    return timedelta(days=days) if days is not None and not permission_terms.is_session_bound(connection) else None


def silent_since(connection: Connection, *, at: datetime) -> datetime | None:
    """Since when its provider has not answered us, neither for tokens nor for records; None where it does, or has not
    for a moment only: a connection that works does not flicker."""
    stored = token_set(connection)
    since = stored.silent_since if stored is not None and stored.tries else None
    of_tokens = since if since is not None and since <= at - hearing.A_WHILE else None
    of_records = hearing.silent_since(connection.endpoint, at=at)
    return min((moment for moment in (of_tokens, of_records) if moment is not None), default=None)


def _dialect(connection: Connection) -> Dialect | None:
    """None where this release does not know it, and so nothing of its limits."""
    is_known = reaching.is_known(connection.endpoint, connection.registration)
    return reaching.dialect(connection.endpoint, connection.registration) if is_known else None


def _rested_too_long_at(connection: Connection) -> datetime | None:
    used_at, limit = last_used_at(connection), idle_limit(connection)
    return used_at + limit if used_at is not None and limit is not None else None


def is_over(connection: Connection, *, at: datetime) -> bool:
    """Whether its refresh token cannot be of use any more, by what the provider states."""
    end = ended_at(connection)
    return end is not None and end <= at


def is_used_up(connection: Connection, *, at: datetime) -> Reason | None:
    """Why, where its refresh token is of no use any more: the next check that needs it would find it so, as after a
    long time switched off. An access token that lives on for some minutes changes nothing: only signing in does."""
    if token_set(connection) is None or not is_over(connection, at=at):
        return None
    return Reason.WINDOW_OVER if is_window(connection) else Reason.IDLE_LIMIT_OVER
