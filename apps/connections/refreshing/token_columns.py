"""The columns of a stored token set: what one token response fills, and how tokens are sealed.

Pure: nothing here writes a row. Only `token_sets` and `storing` do.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import policy, timing
from apps.connections.refreshing.timing import Times
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing, Place
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

NO_ATTEMPT: dict[str, None] = {"attempt_id": None, "attempt_started_at": None, "lease_until": None}
AS_NEW: dict[str, Any] = {**NO_ATTEMPT, "refused_at": None, "tries": 0}  # whatever happened to the tokens before


def times(
    connection: Connection,
    token_set: TokenSet,
    *,
    issued_at: datetime,
    refresh_issued_at: datetime | None,
    rotates: bool | None,
) -> Times:
    """When these tokens end. `issued_at`: when the request was sent; `refresh_issued_at`: when our current refresh
    token was requested; `rotates`: what this link's own responses showed, None if nothing yet."""
    limits = policy.of(connection)
    return timing.times(
        limits if rotates is None else replace(limits, rotates=rotates),
        connection_id=connection.pk,
        at=issued_at,
        expires_in_seconds=token_set.expires_in_seconds,
        refresh_issued_at=refresh_issued_at,
    )


def sealed(connection: Connection, token_set: TokenSet, *, ring: KeyRing) -> dict[str, Any]:
    """The sealed tokens by column; that of the refresh token, and where it was issued, only if one came."""
    columns: dict[str, Any] = {
        "sealed_access_token": _seal(connection, "sealed_access_token", token_set.access_token, ring)
    }
    if token_set.refresh_token is not None:
        columns["sealed_refresh_token"] = _seal(connection, "sealed_refresh_token", token_set.refresh_token, ring)
        columns["token_origin"] = token_set.origin
    return columns


def moved(giver: Connection, stored: StoredTokenSet, receiver: Connection) -> dict[str, Any]:
    """The same tokens, sealed for another connection of the same user."""
    with sealing.key_ring(holder(giver)) as ring:
        return {
            field: None if value is None else _seal(receiver, field, _open(giver, field, value, ring), ring)
            for field, value in (
                ("sealed_access_token", stored.sealed_access_token),
                ("sealed_refresh_token", stored.sealed_refresh_token),
            )
        }


def access_token(connection: Connection, stored: StoredTokenSet) -> Secret:
    """The access token, decrypted."""
    with sealing.key_ring(holder(connection)) as ring:
        return open_access_token(connection, stored.sealed_access_token, ring=ring)


def refresh_token(connection: Connection, stored: StoredTokenSet) -> Secret | None:
    """The refresh token, decrypted, if there is one."""
    if stored.sealed_refresh_token is None:
        return None
    with sealing.key_ring(holder(connection)) as ring:
        return open_refresh_token(connection, stored.sealed_refresh_token, ring=ring)


def open_access_token(connection: Connection, value: bytes | memoryview, *, ring: KeyRing) -> Secret:
    """The same, with the user's key ring."""
    return _open(connection, "sealed_access_token", value, ring)


def open_refresh_token(connection: Connection, value: bytes | memoryview, *, ring: KeyRing) -> Secret:
    """The same, with the user's key ring."""
    return _open(connection, "sealed_refresh_token", value, ring)


def holder(connection: Connection) -> Holder:
    """Whose key seals a connection's tokens: its user's. Each token is also bound to its connection and column."""
    return Holder.user(connection.user_id)


def _seal(connection: Connection, field: str, token: Secret, ring: KeyRing) -> bytes:
    return ring.seal(token.reveal().encode(), place=place_of(connection, field))


def _open(connection: Connection, field: str, value: bytes | memoryview, ring: KeyRing) -> Secret:
    return Secret(ring.open(bytes(value), place=place_of(connection, field)).decode())


def place_of(connection: Connection, field: str) -> Place:
    """The place of one of the two token columns."""
    return Place("stored_token_set", field, (str(connection.pk),))
