"""The columns of a stored token set: what one token set fills, and how a token is sealed into its place.

Pure: nothing here writes a row. That is `refreshing.py` alone.
"""

from datetime import datetime, timedelta
from typing import Any

from apps.connections.models import Connection, StoredTokenSet
from apps.directory import reaching
from apps.vault import sealing
from apps.vault.sealing import Holder, Place
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

NO_ATTEMPT: dict[str, None] = {"attempt_id": None, "attempt_started_at": None, "lease_until": None}


def columns(connection: Connection, token_set: TokenSet, *, issued_at: datetime) -> dict[str, Any]:
    """What a token set fills, those of the refresh token only where one came. `issued_at`: when the request was sent.

    The refresh is due at half the window, which leaves a day of A's two for a provider that does not answer.
    """
    dialect = reaching.dialect(connection.endpoint, connection.registration)
    lifetime_seconds = token_set.expires_in_seconds or dialect.assumed_lifetime_seconds
    filled: dict[str, Any] = {
        **NO_ATTEMPT,
        "sealed_access_token": seal(connection, "sealed_access_token", token_set.access_token),
        "access_expires_at": issued_at + timedelta(seconds=lifetime_seconds),
        "not_before_at": issued_at + timedelta(seconds=dialect.minimum_refresh_interval_seconds),
    }
    if token_set.refresh_token is not None:
        hours = dialect.refresh_window_hours
        window = timedelta(hours=hours) if hours is not None else None
        filled |= {
            "sealed_refresh_token": seal(connection, "sealed_refresh_token", token_set.refresh_token),
            "refresh_issued_at": issued_at,
            "refresh_deadline_at": issued_at + window if window else None,
            "refresh_due_at": issued_at + window / 2 if window else None,
        }
    return filled


def access_token(connection: Connection, stored: StoredTokenSet) -> Secret:
    """The access token, opened."""
    return _open(connection, "sealed_access_token", stored.sealed_access_token)


def refresh_token(connection: Connection, stored: StoredTokenSet) -> Secret | None:
    """The refresh token, opened, where there is one."""
    if stored.sealed_refresh_token is None:
        return None
    return _open(connection, "sealed_refresh_token", stored.sealed_refresh_token)


def seal(connection: Connection, field: str, token: Secret) -> bytes:
    """Sealed for the user, bound to this connection and column."""
    holder = Holder.user(connection.user_id)
    return sealing.seal(token.reveal().encode(), holder=holder, place=_place(connection, field))


def _open(connection: Connection, field: str, sealed: bytes | memoryview) -> Secret:
    holder = Holder.user(connection.user_id)
    return Secret(sealing.open_sealed(bytes(sealed), holder=holder, place=_place(connection, field)).decode())


def _place(connection: Connection, field: str) -> Place:
    return Place("stored_token_set", field, (str(connection.pk),))
