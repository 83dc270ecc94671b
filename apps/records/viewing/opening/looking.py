"""Look at a record: what its first page shows, and that somebody looked.

It is written down once for each connection, day of its reader and browser session, not at every page; and once more
after a check, so that nobody is told by mail of what they have seen.
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
    """Write down that their user looked at the records of these connections, unless that was written down today, and
    since they were checked."""
    today = timezone.localtime(at).date().isoformat()
    seen = session.get(_SEEN, {})
    new = [one for one in connections if _is_first(one, seen.get(str(one.pk), ""), today=today, at=at)]
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
    session[_SEEN] = {**seen, **{str(connection.pk): f"{today} {at.timestamp()}" for connection in new}}


def _is_first(connection: Connection, seen: str, *, today: str, at: datetime) -> bool:
    """On this day, or since a check; one that ended later by its clock is none yet. An earlier release kept no moment
    beside the day."""
    day, _, moment = seen.partition(" ")
    checked_at = connection.last_checked_at
    return day != today or (checked_at is not None and float(moment or 0) < checked_at.timestamp() <= at.timestamp())
