"""Disconnect: the patient ends a connection here. We forget its tokens at once and then tell the provider.

What was copied stays, or goes with the connection, as the patient chose.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor, EventType
from apps.connections import noting, refreshing, revoking
from apps.connections.models import Connection


@dataclass(frozen=True)
class Disconnected:
    """What came of it. Where the provider did not confirm, the patient may want to remove us there too."""

    is_revoked_at_provider: bool
    keeps_copy: bool


def disconnect(connection: Connection, *, keeps_copy: bool, at: datetime) -> Disconnected:
    """End the connection, and delete it with all that was copied where the copy is not kept. Twice is as once.

    The tokens are gone when this returns, whatever the provider answers. Speaks to the network after its transaction.
    """
    actor = Actor.user(connection.user_id)
    with transaction.atomic():
        locked = Connection.objects.select_for_update().get(pk=connection.pk)
        token = refreshing.forget(locked)
        if locked.status != Connection.Status.DISCONNECTED:
            locked.disconnect(at=at)
            noting.note_connection(EventType.CONNECTION_DISCONNECTED, locked, at=at)
        if not keeps_copy:
            _delete_with_copy(locked, at=at)
    is_revoked = revoking.revoke_for(connection, token, actor=actor, at=at)
    return Disconnected(is_revoked_at_provider=is_revoked, keeps_copy=keeps_copy)


def _delete_with_copy(connection: Connection, *, at: datetime) -> None:
    """Everything copied hangs on the connection's row and goes with it."""
    noting.note_connection(EventType.RECORD_FORGOTTEN, connection, at=at)
    connection.delete()
