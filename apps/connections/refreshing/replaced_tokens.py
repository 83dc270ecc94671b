"""Revoke the refresh token that a new sign-in replaces, if that is safe.

A server may end the patient's whole permission with it, including the new sign-in's tokens (RFC 7009 section 2.1 leaves
that to its policy). So a dialect or registration must say that this one does not (docs/decisions/0012). Access tokens
are not revoked: they expire within minutes.
"""

import logging
from datetime import datetime

from apps.connections import revoking
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import token_columns
from apps.directory import reaching
from apps.vault.errors import VaultError
from apps.wire.secret import Secret

_LOG = logging.getLogger(__name__)


def end_replaced(connection: Connection, *, by: Secret | None, at: datetime) -> None:
    """Remember the stored refresh token as one to revoke, in the transaction that replaces it, so that the provider is
    not told earlier. The connection must be locked and still have its old registration.

    `by`: the new refresh token, None if none came. If it is the same token, nothing is revoked.
    """
    if not reaching.dialect(connection.endpoint, connection.registration).revokes_replaced:
        return
    earlier = held(connection)
    if earlier is not None and earlier != by:
        origin = StoredTokenSet.objects.values_list("token_origin", flat=True).get(pk=connection.pk)
        revoking.remember(connection, earlier, origin=origin, at=at, is_its_own=False)


def held(connection: Connection) -> Secret | None:
    """The connection's refresh token, if there is one that can be decrypted."""
    stored = StoredTokenSet.objects.filter(pk=connection.pk).first()
    try:
        return token_columns.refresh_token(connection, stored) if stored is not None else None
    except VaultError as error:
        _LOG.error("Tokens were dropped unrevoked: connection %s: %s", connection.pk, error)
        return None
