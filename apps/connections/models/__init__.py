"""A patient's links: the attempt, the connection, and the tokens that keep it alive."""

from apps.connections.models.authorization_request import AuthorizationRequest
from apps.connections.models.connection import Connection, MoveNotAllowed
from apps.connections.models.pending_launch import PendingLaunch
from apps.connections.models.pending_revocation import PendingRevocation
from apps.connections.models.stored_token_set import StoredTokenSet
from apps.connections.models.trial import Trial

__all__ = [
    "AuthorizationRequest",
    "Connection",
    "MoveNotAllowed",
    "PendingLaunch",
    "PendingRevocation",
    "StoredTokenSet",
    "Trial",
]
