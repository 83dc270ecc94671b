"""The refresh token that a new sign-in replaces: told to the provider as one that is over, where that is safe.

A server may take its end for the end of all that this patient allowed us, the new sign-in's tokens too (RFC 7009
section 2.1 leaves it to its policy), so a dialect or registration must say that this one does not
(docs/decisions/0012). Access tokens are left: they end within minutes.
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
    """Remember the stored refresh token as one to revoke, before another one takes its place: in the transaction that
    stores that, so that nobody is told before, and with the connection locked and still of its old registration.

    `by`: the new refresh token, None where none came. Where it is the same one, nothing is over.
    """
    if not reaching.dialect(connection.endpoint, connection.registration).revokes_replaced:
        return
    earlier = held(connection)
    if earlier is not None and earlier != by:
        revoking.remember(connection, earlier, at=at, is_its_own=False)


def held(connection: Connection) -> Secret | None:
    """The refresh token that this connection has, if there is one that opens."""
    stored = StoredTokenSet.objects.filter(pk=connection.pk).first()
    try:
        return token_columns.refresh_token(connection, stored) if stored is not None else None
    except VaultError as error:
        _LOG.error("Tokens were dropped unrevoked: connection %s: %s", connection.pk, error)
        return None
