"""When a connection ends, has ended or went silent, judged by its columns, which may be ahead of its status.

Pure functions of loaded rows (the endpoint's silence included). Only the times of the token set are read.
"""

from datetime import datetime, timedelta

from apps.connections import reachability
from apps.connections.grants import permission_terms
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.directory import reaching
from apps.wire.dialects import Dialect


def token_set(connection: Connection) -> StoredTokenSet | None:
    """Its stored token set, if it has one."""
    stored: StoredTokenSet | None = getattr(connection, "stored_token_set", None)
    return stored


def known(connection: Connection) -> datetime | None:
    """An end that we cannot prolong; None if we can refresh it, or if no end is known."""
    if connection.lapses_at is not None:
        return connection.lapses_at
    stored = token_set(connection)
    is_left_alone = stored is not None and stored.refresh_due_at is None and stored.parked_endpoint_id is None
    return stored.refresh_deadline_at if stored is not None and is_left_alone else None


def is_window(connection: Connection) -> bool:
    """Whether its refresh tokens have a time limit of their own, however often they are used."""
    dialect = _dialect(connection)
    return dialect is not None and dialect.refresh_window_hours is not None


def ended_at(connection: Connection) -> datetime | None:
    """When its refresh token expired, or will."""
    stored = token_set(connection)
    moments = [connection.lapses_at, stored.refresh_deadline_at if stored else None, _rested_too_long_at(connection)]
    return min((moment for moment in moments if moment is not None), default=None)


def last_used_at(connection: Connection) -> datetime | None:
    """When its refresh token was last exchanged, or issued."""
    stored = token_set(connection)
    return (stored.refresh_used_at or stored.refresh_issued_at) if stored else None


def idle_limit(connection: Connection) -> timedelta | None:
    """How long the permission may stay unused; None if no limit is published, or if it ends with a session anyway."""
    dialect = _dialect(connection)
    days = dialect.idle_limit_days if dialect is not None else None
    return timedelta(days=days) if days is not None and not permission_terms.is_session_bound(connection) else None


def silent_since(connection: Connection, *, at: datetime) -> datetime | None:
    """Since when its provider has answered requests neither for tokens nor for records; None if it does, or if the
    silence is so short that it is not shown."""
    stored = token_set(connection)
    since = stored.silent_since if stored is not None and stored.tries else None
    of_tokens = since if since is not None and since <= at - reachability.A_WHILE else None
    of_records = reachability.silent_since(connection.endpoint, at=at)
    return min((moment for moment in (of_tokens, of_records) if moment is not None), default=None)


def _dialect(connection: Connection) -> Dialect | None:
    """None if this release does not know it, and so none of its limits."""
    is_known = reaching.is_known(connection.endpoint, connection.registration)
    return reaching.dialect(connection.endpoint, connection.registration) if is_known else None


def _rested_too_long_at(connection: Connection) -> datetime | None:
    used_at, limit = last_used_at(connection), idle_limit(connection)
    return used_at + limit if used_at is not None and limit is not None else None


def is_over(connection: Connection, *, at: datetime) -> bool:
    """Whether its refresh token has expired, by the limits that the provider publishes."""
    end = ended_at(connection)
    return end is not None and end <= at


def is_used_up(connection: Connection, *, at: datetime) -> Reason | None:
    """Why its refresh token is of no use any more; None if it is. The next check that needs it would find out, as after
    a long time switched off. An access token that is valid for some more minutes changes nothing: the patient must sign
    in."""
    if token_set(connection) is None or not is_over(connection, at=at):
        return None
    return Reason.WINDOW_OVER if is_window(connection) else Reason.IDLE_LIMIT_OVER
