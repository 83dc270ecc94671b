"""Drop a link nobody confirmed: tokens and candidates first, then the permission at the provider."""

from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor, EventType
from apps.connections import noting, refreshing, revoking
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome


def drop_unconfirmed(connection: Connection, *, outcome: Outcome, event: EventType, actor: Actor, at: datetime) -> bool:
    """Delete a connection that awaits confirmation with everything on it. False where it was confirmed or dropped
    meanwhile. Revoking follows outside the transaction, and its failure changes nothing here."""
    with transaction.atomic():
        locked = Connection.objects.select_for_update().unconfirmed().filter(pk=connection.pk).first()
        if locked is None:
            return False
        noting.note_connection(event, locked, at=at, actor=actor)
        token = refreshing.forget(locked)
        AuthorizationRequest.objects.filter(connection=locked).update(outcome=outcome)
        locked.delete()
    revoking.revoke_for(connection, token, actor=actor, at=at)
    return True
