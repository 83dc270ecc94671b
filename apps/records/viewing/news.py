"""What is new in a record since its owner last looked at it: names and dates, and no values.

The last look is the newest one on an earlier day that the audit trail tells of. Rows are searched for only where a
check since then changed some.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from apps.audit.models import EventType
from apps.records import bodies, presenting, subjects
from apps.records.binary_cursors import binary_cursor
from apps.records.models import Record
from apps.records.presenters import delicate
from apps.records.presenters.entry import UNLISTED, Context, Entry
from apps.records.shelving.surroundings import Surroundings
from apps.records.subjects import CONDITIONS, HISTORY, LISTED, Subject
from apps.records.viewing.listing import rows
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source, Whole
from apps.records.viewing.wording import whens

MOST_NAMED: Final = 5
_LOOKED_THROUGH: Final = 20  # some of what came is listed nowhere
# Written out, as they are asked whenever the first page is: putting them together anew costs more than asking.
_LAST_LOOK: Final = """
SELECT look.at FROM audit_auditevent AS look
WHERE look.user_id = %(user_id)s AND look.event = %(event)s AND look.at < %(today)s ORDER BY look.id DESC LIMIT 1
"""
_CHANGED: Final = """
SELECT DISTINCT step.resource_type FROM records_syncstep AS step
JOIN records_syncrun AS run ON run.id = step.run_id AND run.connection_id = ANY(%(connections)b)
WHERE step.user_id = %(user_id)s AND step.finished_at > %(since)s AND step.rows_changed > 0
"""


@dataclass(frozen=True)
class News:
    """`since` is when the record was last looked at. `rows` are the newest that came or changed since, of those that a
    first page names; `more` counts the others, and `lists` are where they stand: none where not all were looked at.
    `arrived` are the providers whose whole record is new: of it nothing is named or counted."""

    since: datetime
    rows: tuple[Row, ...]
    more: int
    lists: tuple[Subject, ...]
    arrived: tuple[str, ...] = ()


class _Came(NamedTuple):
    """What came or changed, and stands in a list."""

    record: Record
    subject: Subject
    entry: Entry

    @property
    def may_be_named(self) -> bool:
        """Whether a first page does: somebody may look over a shoulder there."""
        return self.subject is not HISTORY and not delicate.is_delicate(self.entry)


def of(whole: Whole) -> News | None:
    """None where nobody looked before, or nothing came since that a list has. What does not open is logged and left
    out. Raises VaultError where a key is missing."""
    since = _last_look(whole)
    if since is None:
        return None
    known = [key for key, source in whole.sources.items() if _confirmed_at(source) <= since]
    arrived = tuple(source.provider for source in whole.sources.values() if _is_all_new(source, since))
    told = _of_known(whole, known, since) or News(since, (), 0, ())
    return replace(told, arrived=arrived) if told.rows or told.more or arrived else None


def _confirmed_at(source: Source) -> datetime:
    return source.connection.confirmed_at or source.connection.created_at


def _is_all_new(source: Source, since: datetime) -> bool:
    """Whether its record came for the first time since then. As long as it is on its way, Home says that."""
    return _confirmed_at(source) > since and source.is_copied


def _of_known(whole: Whole, known: Sequence[UUID], since: datetime) -> News | None:
    """Of the connections that were there before."""
    changed = _changed(whole, known, since) if known else ()
    if not changed:
        return None
    came = _came_since(whole, known, since, changed)
    newest = list(came.order_by("-received_at", "-pk")[:_LOOKED_THROUGH])
    listed = _listed(whole, newest)
    named = [one for one in listed if one.may_be_named][:MOST_NAMED]
    left = [one for one in listed if one not in named]
    more, lists = len(left), {one.subject for one in left}
    if len(newest) == _LOOKED_THROUGH and (behind := came.count() - len(newest)):  # nobody has looked through those
        shelves = (shelf for shelf in whole.shelves if shelf.connection_id in known)
        listed_in_all = sum(shelf.index.count for shelf in shelves if shelf.index is not None)
        more, lists = max(more, min(more + behind, listed_in_all - len(named))), set()
    if not named and not more:
        return None
    if HISTORY in lists:  # of which a first page says nothing, not even that there is some (patient experience 3.10)
        lists = set()
    told = tuple(_row(whole, one, since) for one in named)
    return News(since, told, more, tuple(subject for subject in LISTED if subject in lists))


def _last_look(whole: Whole) -> datetime | None:
    today = timezone.localtime(whole.at).replace(hour=0, minute=0, second=0, microsecond=0)
    asked: dict[str, Any] = {"user_id": whole.user_id, "event": EventType.RECORD_VIEWED.value, "today": today}
    with binary_cursor() as cursor:
        cursor.execute(_LAST_LOOK, asked)
        found = cursor.fetchone()
    return found[0] if found else None


def _changed(whole: Whole, known: Sequence[UUID], since: datetime) -> tuple[str, ...]:
    """The resource types of which a check since then changed something, of those that lists have."""
    asked: dict[str, Any] = {"user_id": whole.user_id, "connections": list(known), "since": since}
    with binary_cursor() as cursor:
        cursor.execute(_CHANGED, asked)
        found = cursor.fetchall()
    return tuple(name for (name,) in found if set(subjects.shelved_for(name)) - {subjects.PATIENT})


def _came_since(
    whole: Whole, known: Sequence[UUID], since: datetime, resource_types: Sequence[str]
) -> QuerySet[Record]:
    mine = Record.objects.filter(user_id=whole.user_id, connection__in=list(known), removed_at__isnull=True)
    return mine.filter(resource_type__in=resource_types, received_at__gt=since)


def _listed(whole: Whole, newest: Sequence[Record]) -> list[_Came]:
    """What lists have of these: nothing that was withdrawn, is not final, or is of no subject."""
    opened = [(record, bodies.find_of(record, whole.ring)) for record in newest]
    readable = [(record, body) for record, body in opened if body is not None]
    contexts = _contexts(whole, readable)
    told = (_came(record, body, contexts[record.connection_id]) for record, body in readable)
    return [one for one in told if one is not None]


def _contexts(whole: Whole, readable: Sequence[tuple[Record, bytes]]) -> Mapping[UUID, Context]:
    """What the new rows of each connection are read with: an order may have its name from a Medication alone."""
    found: dict[UUID, list[bytes]] = defaultdict(list)
    for record, body in readable:
        found[record.connection_id].append(body)
    read = {
        key: Surroundings(source.connection, whole.ring, today=whole.at.date(), birth_date=source.born)
        for key, source in whole.sources.items()
        if key in found
    }
    return {key: surroundings.of(found[key]) for key, surroundings in read.items()}


def _came(record: Record, body: bytes, context: Context) -> _Came | None:
    resource, entry = presenting.present(
        body,
        resource_type=record.resource_type,
        logical_id=record.logical_id,
        context=context,
    )
    subject = subjects.subject_of(resource, resource_type=record.resource_type)
    if subject is None or entry.is_withdrawn or entry.group == UNLISTED:
        return None
    return _Came(record, subject, entry)


def _row(whole: Whole, came: _Came, since: datetime) -> Row:
    entry, source = came.entry, whole.sources[came.record.connection_id]
    title, theirs = rows.names(entry)
    return Row(
        record=came.record.pk,
        subject=came.subject.key,
        title=title,
        theirs=theirs if came.subject is CONDITIONS else "",  # its code may be wrong, and then so is our name
        when_label="" if whens.says_itself(entry.when) else whens.label(entry),
        when=whens.in_words(entry.when),
        year="",
        group="",
        status=gettext("changed") if came.record.first_received_at <= since else "",
        details=(),
        providers=(source.provider,),
        person=source.person,
    )
