"""Drop a connection that nobody confirmed: delete tokens and candidates at once; a task tells the provider."""

from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor, EventType
from apps.connections import connection_events, refreshing, revoking
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome


def drop_unconfirmed(connection: Connection, *, outcome: Outcome, event: EventType, actor: Actor, at: datetime) -> bool:
    """Delete a connection that awaits confirmation, with everything that belongs to it. False if it was confirmed or
    dropped meanwhile. Edges then enqueue telling the provider."""
    with transaction.atomic():
        locked = Connection.objects.select_for_update().unconfirmed().filter(pk=connection.pk).first()
        if locked is None:
            return False
        connection_events.note_connection(event, locked, at=at, actor=actor)
        forgotten = refreshing.forget(locked)
        if forgotten is not None:
            revoking.remember(locked, forgotten.token, origin=forgotten.origin, at=at)
        AuthorizationRequest.objects.filter(connection=locked).update(outcome=outcome)
        locked.delete()
    return True
