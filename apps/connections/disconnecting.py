"""Disconnect: the patient ends a connection here. We forget its tokens at once, and then tell the provider.

What was copied is not ours to keep or delete: `apps.portal.parting` asks both apps.
"""

from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor, EventType
from apps.connections import noting, refreshing, revoking
from apps.connections.models import Connection
from apps.wire.secret import Secret


def end(connection: Connection, *, at: datetime) -> Secret | None:
    """Drop the tokens and end the connection; returns the token to give to `tell_provider`. Twice is as once."""
    with transaction.atomic():
        locked = Connection.objects.select_for_update().filter(pk=connection.pk).first()
        if locked is None:  # ended with its copy, in another tab
            return None
        token = refreshing.forget(locked)
        if locked.status != Connection.Status.DISCONNECTED:
            locked.disconnect(at=at)
            noting.note_connection(EventType.CONNECTION_DISCONNECTED, locked, at=at)
    return token


def tell_provider(connection: Connection, token: Secret | None, *, at: datetime) -> bool:
    """Whether the provider confirmed that the permission ended. Speaks to the network: call it when all is written."""
    return revoking.revoke_for(connection, token, actor=Actor.user(connection.user_id), at=at)
