"""Token sets that sign-ins bring and endings remove: stored, handed over and forgotten.

Tokens are written only here and by `storing`; apart from `vault.renewing`, which seals the same tokens with another
key.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import policy, token_columns
from apps.vault import sealing
from apps.vault.errors import VaultError
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

_LOG = logging.getLogger(__name__)

# What moves with a token set to another connection.
_KEPT = (
    "registration_id", "token_origin", "not_before_at", "refresh_issued_at", "refresh_used_at", "refresh_deadline_at",
    "refresh_due_at", "parked_endpoint_id", "access_expires_at", "is_rotated", "is_session_bound",
)  # fmt: skip


def keep(connection: Connection, token_set: TokenSet, *, issued_at: datetime) -> None:
    """Store the tokens of a code exchange, replacing any earlier ones. `issued_at` is when the request was sent.

    Like `hand_over` and `forget`, it locks the token set; the caller already holds a lock on the connection.
    """
    times = token_columns.times(
        connection,
        token_set,
        issued_at=issued_at,
        refresh_issued_at=issued_at if token_set.refresh_token is not None else None,
        rotates=None,
    )
    with transaction.atomic():
        earlier = StoredTokenSet.objects.select_for_update().filter(pk=connection.pk).first()
        with sealing.key_ring(token_columns.holder(connection)) as ring:
            columns: dict[str, Any] = {
                "sealed_refresh_token": None,
                "token_origin": token_set.origin,
                **token_columns.sealed(connection, token_set, ring=ring),
                **times.columns,
                **token_columns.AS_NEW,
                "data_refused_at": None,
                "registration_id": connection.registration_id,
                "generation": earlier.generation + 1 if earlier else 1,
                "is_rotated": None,
                "is_session_bound": policy.of(connection).is_session_bound,
            }
        StoredTokenSet.objects.update_or_create(connection=connection, defaults=columns)
        _keep_end(connection, times.lapses_at)


def hand_over(*, giver: Connection, receiver: Connection) -> None:
    """Give one connection's tokens to another of the same user and endpoint, with their registration and times; the
    giver has none afterwards."""
    with transaction.atomic():
        given = StoredTokenSet.objects.select_for_update().get(pk=giver.pk)
        earlier = StoredTokenSet.objects.select_for_update().filter(pk=receiver.pk).first()
        columns = {
            **token_columns.moved(giver, given, receiver),
            **{name: getattr(given, name) for name in _KEPT},
            **token_columns.AS_NEW,
            "data_refused_at": None,
            "generation": earlier.generation + 1 if earlier else 1,
        }
        StoredTokenSet.objects.update_or_create(connection=receiver, defaults=columns)
        _keep_end(receiver, Connection.objects.values_list("lapses_at", flat=True).get(pk=giver.pk))
        given.delete()


@dataclass(frozen=True, repr=False)
class Forgotten:
    """A token that was deleted and may be revoked, and the origin that issued it."""

    token: Secret
    origin: str


def forget(connection: Connection) -> Forgotten | None:
    """Delete the tokens. Returns the one to revoke at the provider, if there is one that can be decrypted."""
    with transaction.atomic():
        stored = StoredTokenSet.objects.select_for_update().filter(pk=connection.pk).first()
        if stored is None:
            return None
        token = _to_revoke(connection, stored)
        stored.delete()
        _keep_end(connection, None)
    return Forgotten(token, stored.token_origin) if token is not None else None


def _keep_end(connection: Connection, lapses_at: datetime | None) -> None:
    """The connection's end is stored with its tokens; the caller has locked the row."""
    Connection.objects.filter(pk=connection.pk).exclude(lapses_at=lapses_at).update(lapses_at=lapses_at)
    connection.lapses_at = lapses_at


def _to_revoke(connection: Connection, stored: StoredTokenSet) -> Secret | None:
    """Tokens that cannot be decrypted cannot be revoked, and are deleted all the same."""
    try:
        return token_columns.refresh_token(connection, stored) or token_columns.access_token(connection, stored)
    except VaultError as error:
        _LOG.error("Tokens were dropped unrevoked: connection %s: %s", connection.pk, error)
        return None
