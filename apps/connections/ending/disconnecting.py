"""Disconnect: the patient ends a connection here. Its tokens are deleted at once; a task tells the provider.

Whether the copy is kept or deleted is not decided here: `apps.portal.disconnection` and `apps.portal.closing` call both
apps.
"""

from datetime import datetime

from django.db import transaction

from apps.audit.recording import EventType
from apps.connections import connection_events, refreshing, revoking
from apps.connections.models import Connection


def end(connection: Connection, *, at: datetime) -> bool | None:
    """Delete the tokens and end the connection. Calling it again changes nothing.

    Returns whether the provider will be told (`revoking.tell_providers`, which edges enqueue); None if there was no
    token left to revoke.
    """
    with transaction.atomic():
        locked = Connection.objects.select_for_update().filter(pk=connection.pk).first()
        if locked is None:  # ended with its copy, in another tab
            return None
        forgotten = refreshing.forget(locked)
        if locked.status != Connection.Status.DISCONNECTED:
            locked.disconnect(at=at)
            connection_events.note_connection(EventType.CONNECTION_DISCONNECTED, locked, at=at)
        if forgotten is None:
            return None
        return revoking.remember(locked, forgotten.token, origin=forgotten.origin, at=at)
