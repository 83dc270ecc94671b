"""What a sign-in brings and an ending takes: token sets stored, handed over and forgotten.

With `storing`, which writes what a refresh brought, and `claiming`, the only place that writes a StoredTokenSet; but
for `vault.renewing`, which seals the same tokens by another key.
"""

import logging
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

# What a token set keeps of its own, whoever's connection it belongs to.
_KEPT = (
    "registration_id", "not_before_at", "refresh_issued_at", "refresh_used_at", "refresh_deadline_at",
    "refresh_due_at", "parked_endpoint_id", "access_expires_at", "is_rotated", "is_session_bound",
)  # fmt: skip


def keep(connection: Connection, token_set: TokenSet, *, issued_at: datetime) -> None:
    """Store the token set of a code exchange, over any earlier one. `issued_at` is when the request was sent.

    As `hand_over` and `forget` do, it locks the token set: whoever calls them holds the connection already.
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
    """Give one connection's tokens to another of the same user and endpoint, with their registration and their times;
    the giver has none afterwards."""
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


def forget(connection: Connection) -> Secret | None:
    """Drop the tokens. Returns the one to revoke at the provider, if there was any that opens."""
    with transaction.atomic():
        stored = StoredTokenSet.objects.select_for_update().filter(pk=connection.pk).first()
        if stored is None:
            return None
        token = _to_revoke(connection, stored)
        stored.delete()
        _keep_end(connection, None)
    return token


def _keep_end(connection: Connection, lapses_at: datetime | None) -> None:
    """Beside the tokens it is about; the row is in the caller's hands."""
    Connection.objects.filter(pk=connection.pk).exclude(lapses_at=lapses_at).update(lapses_at=lapses_at)
    connection.lapses_at = lapses_at


def _to_revoke(connection: Connection, stored: StoredTokenSet) -> Secret | None:
    """What does not open cannot be revoked, and must be dropped all the same."""
    try:
        return token_columns.refresh_token(connection, stored) or token_columns.access_token(connection, stored)
    except VaultError as error:
        _LOG.error("Tokens were dropped unrevoked: connection %s: %s", connection.pk, error)
        return None
