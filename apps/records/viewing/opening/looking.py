"""Look at a record: what its first page shows, and the note that somebody looked.

That is noted once per connection, day (in the reader's time zone) and browser session, not for every page; and again
after a check, so that nobody gets an email about what they have already seen.
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
from apps.connections.presenting.standing import ShownConnection
from apps.records.viewing.opening import overview
from apps.records.viewing.opening.overview import Overview

_SEEN = "records_seen"


@dataclass(frozen=True)
class View:
    """The status of the connection, and what came by it."""

    standing: ShownConnection
    overview: Overview


def look(connection: Connection, *, session: MutableMapping[str, Any], at: datetime) -> View:
    """What the connection's own user sees of it now. `session` remembers that they looked, but not at what.

    Raises Connection.DoesNotExist if the connection was deleted a moment ago.
    """
    note([connection], session=session, at=at)
    return View(standing.of_connection(connection, at=at), overview.of(connection, at=at))


def note(connections: Iterable[Connection], *, session: MutableMapping[str, Any], at: datetime) -> None:
    """Note that their user looked at the records of these connections, unless that was noted today and after the last
    check."""
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
    """Whether it is the first look of the day, or since a check; a check that ended in the future, by a wrong clock,
    does not count. An earlier release stored no time beside the day."""
    day, _, moment = seen.partition(" ")
    checked_at = connection.last_checked_at
    return day != today or (checked_at is not None and float(moment or 0) < checked_at.timestamp() <= at.timestamp())
