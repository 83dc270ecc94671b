"""A patient turns mail about one connection off or on. What its page says does not change."""

from datetime import datetime

from django.db import transaction

from apps.audit.recording import EventType
from apps.connections import connection_events
from apps.connections.lapse_warnings import planning
from apps.connections.models import Connection


def mute(connection: Connection, *, is_muted: bool, at: datetime) -> None:
    """Store the choice and plan accordingly. Calling it again changes nothing."""
    with transaction.atomic():
        changed = Connection.objects.filter(pk=connection.pk, is_muted=not is_muted).update(is_muted=is_muted)
        if changed:
            planning.withdraw(connection)
            connection_events.note_connection(EventType.USER_WARNINGS_CHOSEN, connection, at=at)
