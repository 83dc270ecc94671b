"""Disconnect: the patient ends a connection here. We forget its tokens at once; a task tells the provider.

What was copied is not ours to keep or delete: `apps.portal.disconnection` and `apps.portal.closing` ask both apps.
"""

from datetime import datetime

from django.db import transaction

from apps.audit.recording import EventType
from apps.connections import connection_events, refreshing, revoking
from apps.connections.models import Connection


def end(connection: Connection, *, at: datetime) -> bool | None:
    """Drop the tokens and end the connection. Twice is as once.

    Returns whether the provider will be told (`revoking.tell_providers`, which edges enqueue); None where there was no
    token left to tell of.
    """
    with transaction.atomic():
        locked = Connection.objects.select_for_update().filter(pk=connection.pk).first()
        if locked is None:  # ended with its copy, in another tab
            return None
        token = refreshing.forget(locked)
        if locked.status != Connection.Status.DISCONNECTED:
            locked.disconnect(at=at)
            connection_events.note_connection(EventType.CONNECTION_DISCONNECTED, locked, at=at)
        return None if token is None else revoking.remember(locked, token, at=at)
