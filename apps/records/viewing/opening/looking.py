"""Look at a record: what its first page shows, and that somebody looked.

It is written down once for each connection, day of its reader and browser session, not at every page.
"""

from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections.models import Connection
from apps.connections.presenting import standing
from apps.connections.presenting.standing import Standing
from apps.records.viewing.opening import overview
from apps.records.viewing.opening.overview import Overview

_SEEN = "records_seen"


@dataclass(frozen=True)
class View:
    """How the connection stands, and what came by it."""

    standing: Standing
    overview: Overview


def look(connection: Connection, *, session: MutableMapping[str, Any], at: datetime) -> View:
    """What the connection's own user sees of it now. `session` remembers that they looked, and nothing of what.

    Raises Connection.DoesNotExist where the connection went a moment ago.
    """
    note([connection], session=session, at=at)
    return View(standing.of_connection(connection, at=at), overview.of(connection, at=at))


def note(connections: Iterable[Connection], *, session: MutableMapping[str, Any], at: datetime) -> None:
    """Write down that their user looked at the records of these connections, unless that was written down today."""
    today = timezone.localtime(at).date().isoformat()
    seen = session.get(_SEEN, {})
    new = [connection for connection in connections if seen.get(str(connection.pk)) != today]
    if not new:
        return
    user_id = new[0].user_id
    recording.record_about_each(
        EventType.RECORD_VIEWED,
        actor=Actor.user(user_id),
        at=at,
        user_id=user_id,
        subject="connection",
        subject_ids=[str(connection.pk) for connection in new],
    )
    session[_SEEN] = {**seen, **{str(connection.pk): today for connection in new}}
