"""The listed entries that came into a record, or changed, since its owner last looked at it.

The last look is the newest one on an earlier day in the audit trail. Rows are searched only for types of which a check
changed something since; if the look is longer ago than runs are kept, the rows themselves show which types those are.
If a connection is newer than that look, or its first copy was still under way then, all it brought is new as a whole
and not listed as news; nor is what a server sent again in another version of FHIR.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from apps.audit.models import EventType
from apps.records import bodies, presenting, subjects
from apps.records.binary_cursors import binary_cursor
from apps.records.models import Record
from apps.records.presenters.entry import UNLISTED, Context, Entry
from apps.records.shelving.contexts import ContextReader
from apps.records.subjects import Subject
from apps.records.syncing import pruning, resent_after_version_change
from apps.records.syncing.resent_after_version_change import Resent
from apps.records.viewing.opening.whole import Source, Whole
from apps.records.viewing.wording import dates_in_words

# Written out, since every first page runs them: building them in Python costs more than running them.
_LAST_LOOK: Final = """
SELECT look.at FROM audit_auditevent AS look
WHERE look.user_id = %(user_id)s AND look.event = %(event)s AND look.at < %(today)s ORDER BY look.id DESC LIMIT 1
"""
_CHANGED: Final = """
SELECT run.connection_id, step.resource_type, min(run.created_at) FILTER (WHERE step.finished_at > %(since)s),
    bool_or(step.needs_shelf), bool_or(run.connection_id IN (
        SELECT stated.connection_id FROM records_syncrun AS stated
        WHERE stated.connection_id = ANY(%(connections)b) AND stated.stated_version <> ''
        GROUP BY stated.connection_id HAVING count(DISTINCT stated.stated_version) > 1
    ))
FROM records_syncstep AS step
JOIN records_syncrun AS run ON run.id = step.run_id AND run.connection_id = ANY(%(connections)b)
WHERE step.user_id = %(user_id)s AND (step.finished_at > %(since)s OR step.needs_shelf) AND step.rows_changed > 0
GROUP BY run.connection_id, step.resource_type
"""


class Arrival(NamedTuple):
    """An entry that came or changed, and stands in a list."""

    record: Record
    subject: Subject
    entry: Entry

    def is_new(self, since: datetime) -> bool:
        """Whether it was not here at all."""
        return self.record.first_received_at > since


@dataclass(frozen=True)
class Arrivals:
    """`since` is when the record was last looked at. `came` holds, newest first by their own dates, those that were
    examined, which are the last to come; `behind` counts those that were not. `arrived` are the connections whose whole
    record is new, `resent` those that sent theirs again, and `unshelved` those of which something is on no shelf
    yet."""

    since: datetime
    came: tuple[Arrival, ...]
    behind: int
    arrived: tuple[Source, ...]
    resent: tuple[Source, ...]
    unshelved: frozenset[UUID]


class _Changed(NamedTuple):
    """A type of which a check changed something since the last look, or left something off the shelves, for a
    connection that is older than the look. `began_at` is when the first run that did so began. `has_changed_over`: its
    server has stated another version of FHIR at some time."""

    connection_id: UUID
    resource_type: str
    began_at: datetime | None
    is_unshelved: bool
    has_changed_over: bool


def of(whole: Whole, *, most: int) -> Arrivals | None:
    """At most `most` of those that came last are examined. None if nobody looked before. What does not open is logged
    and left out. Raises VaultError if a key is missing."""
    since = _last_look(whole)
    if since is None:
        return None
    older = [key for key, source in whole.sources.items() if not _is_newer(source, since)]
    changed = _changed(whole, older, since) if older else ()
    copied = {one.connection_id for one in changed if _is_of_first_copy(one, whole)}
    known = [key for key in older if key not in copied]
    arrived = tuple(source for key, source in whole.sources.items() if key not in known)
    received = _received_since(whole, known, since)
    types = _listed_types(
        (one.resource_type for one in changed)
        if whole.at - since <= pruning.KEPT_FOR
        else received.values_list("resource_type", flat=True).distinct()
    )
    anew = resent_after_version_change.since(
        {one.connection_id for one in changed if one.has_changed_over} & set(known), since
    )
    received = received.filter(resource_type__in=types).exclude(_is_among(anew))
    newest = list(received.order_by("-received_at", "-pk")[:most]) if types else []
    behind = received.count() - len(newest) if len(newest) == most else 0
    came = sorted(_listed(whole, newest), key=lambda one: _by_date(one, whole), reverse=True)
    # Until it is copied, Home says that it is on its way.
    told = tuple(source for source in arrived if source.is_copied)
    unshelved = frozenset(one.connection_id for one in changed if one.is_unshelved)
    return Arrivals(since, tuple(came), behind, told, _resent(whole, anew, types), unshelved)


def _is_newer(source: Source, since: datetime) -> bool:
    confirmed_at = source.connection.confirmed_at
    return confirmed_at is not None and confirmed_at > since


def _is_of_first_copy(changed: _Changed, whole: Whole) -> bool:
    """Whether it came in the run that began with the confirmation: anybody who looked meanwhile saw a part at most."""
    confirmed_at = whole.sources[changed.connection_id].connection.confirmed_at
    return changed.began_at is not None and confirmed_at is not None and changed.began_at <= confirmed_at


def _is_among(anew: Iterable[Resent]) -> Q:
    """The rows of these types that came before everything had been sent again."""
    found = Q(pk__in=[])
    for one in anew:
        found |= Q(connection=one.connection_id, resource_type=one.resource_type, received_at__lte=one.until)
    return found


def _resent(whole: Whole, anew: Iterable[Resent], types: Collection[str]) -> tuple[Source, ...]:
    """The connections that sent listed types again."""
    connections = {one.connection_id for one in anew if one.resource_type in types}
    return tuple(source for key, source in whole.sources.items() if key in connections)


def _by_date(came: Arrival, whole: Whole) -> tuple[bool, str]:
    """A sort key: newest first; what has no date, or an impossible one, last."""
    entry, born = came.entry, whole.sources[came.record.connection_id].born
    sent = entry.when.starts or entry.when.ends
    return not dates_in_words.looks_wrong(entry, born=born, at=whole.at), sent


def _last_look(whole: Whole) -> datetime | None:
    today = timezone.localtime(whole.at).replace(hour=0, minute=0, second=0, microsecond=0)
    asked: dict[str, Any] = {"user_id": whole.user_id, "event": EventType.RECORD_VIEWED.value, "today": today}
    with binary_cursor() as cursor:
        cursor.execute(_LAST_LOOK, asked)
        found = cursor.fetchone()
    return found[0] if found else None


def _changed(whole: Whole, older: Sequence[UUID], since: datetime) -> tuple[_Changed, ...]:
    """The types of which a check since then changed something, or left something off the shelves."""
    asked: dict[str, Any] = {"user_id": whole.user_id, "connections": list(older), "since": since}
    with binary_cursor() as cursor:
        cursor.execute(_CHANGED, asked)
        return tuple(_Changed(*row) for row in cursor.fetchall())


def _listed_types(resource_types: Iterable[str]) -> tuple[str, ...]:
    """Those that stand in lists."""
    return tuple(name for name in dict.fromkeys(resource_types) if set(subjects.shelved_for(name)) - {subjects.PATIENT})


def _received_since(whole: Whole, known: Sequence[UUID], since: datetime) -> QuerySet[Record]:
    mine = Record.objects.filter(user_id=whole.user_id, connection__in=list(known), removed_at__isnull=True)
    return mine.filter(received_at__gt=since)


def _listed(whole: Whole, newest: Sequence[Record]) -> list[Arrival]:
    """Those of these records that stand in lists: not what was withdrawn, is not final, or belongs to no subject."""
    opened = [(record, bodies.find_of(record, whole.ring)) for record in newest]
    readable = [(record, body) for record, body in opened if body is not None]
    contexts = _contexts(whole, readable)
    told = (_came(record, body, contexts[record.connection_id]) for record, body in readable)
    return [one for one in told if one is not None]


def _contexts(whole: Whole, readable: Sequence[tuple[Record, bytes]]) -> Mapping[UUID, Context]:
    """The contexts in which the new rows of each connection are presented: an order may get its name only from a
    Medication."""
    found: dict[UUID, list[bytes]] = defaultdict(list)
    for record, body in readable:
        found[record.connection_id].append(body)
    read = {
        key: ContextReader(source.connection, whole.ring, today=whole.at.date(), birth_date=source.born)
        for key, source in whole.sources.items()
        if key in found
    }
    return {key: contexts.of(found[key]) for key, contexts in read.items()}


def _came(record: Record, body: bytes, context: Context) -> Arrival | None:
    resource, entry = presenting.present(
        body,
        resource_type=record.resource_type,
        logical_id=record.logical_id,
        context=context,
    )
    subject = subjects.subject_of(resource, resource_type=record.resource_type)
    if subject is None or entry.is_withdrawn or entry.group == UNLISTED:
        return None
    return Arrival(record, subject, entry)
