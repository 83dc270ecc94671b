"""Tell the provider that a token is dead, where it lets us (RFC 7009; interface facts 5.6).

Forgetting here never waits for it and never fails with it.
"""

import logging
from datetime import datetime

from apps.audit.recording import Actor, EventType
from apps.connections import noting
from apps.connections.models import Connection
from apps.directory import reaching
from apps.directory.models import ClientRegistration, Endpoint
from apps.vault.errors import VaultError
from apps.wire import token_endpoint
from apps.wire.errors import WireError
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

_LOG = logging.getLogger(__name__)


def revoke(endpoint: Endpoint, registration: ClientRegistration, token: Secret | None) -> bool:
    """Whether the provider confirmed that the token is dead. Speaks to the network: call it outside transactions."""
    if token is None or not registration.authorization_server.revocation_url:
        return False
    try:
        token_endpoint.revoke(reaching.token_endpoint(endpoint, registration), token=token)
    except (WireError, VaultError) as error:
        _LOG.warning("A token was not revoked: %s", error)
        return False
    return True


def revoke_unused(endpoint: Endpoint, registration: ClientRegistration, token_set: TokenSet) -> bool:
    """As `revoke`, for tokens that were received and must not be kept."""
    return revoke(endpoint, registration, token_set.refresh_token or token_set.access_token)


def revoke_for(connection: Connection, token: Secret | None, *, actor: Actor, at: datetime) -> bool:
    """As `revoke`, for a token of this connection, with an audit event when it was confirmed."""
    is_revoked = revoke(connection.endpoint, connection.registration, token)
    if is_revoked:
        noting.note_connection(EventType.TOKENS_REVOKED, connection, at=at, actor=actor, revoked_at_provider=True)
    return is_revoked
