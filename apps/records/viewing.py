"""Write down that a record was looked at: once for each connection, day and browser session, not at every page."""

from collections.abc import MutableMapping
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections.models import Connection

_SEEN = "records_seen"


def note(connection: Connection, *, session: MutableMapping[str, Any], at: datetime) -> None:
    """The connection's own user looked at it. `session` remembers that, and nothing of what was seen."""
    today = at.date().isoformat()
    seen = session.get(_SEEN, {})
    if seen.get(str(connection.id)) == today:
        return
    with transaction.atomic():
        recording.record(
            EventType.RECORD_VIEWED,
            actor=Actor.user(connection.user_id),
            at=at,
            user_id=connection.user_id,
            subject="connection",
            subject_id=str(connection.id),
        )
    session[_SEEN] = {**seen, str(connection.id): today}
