"""What is new in a record since its owner last looked at it: names and dates, and no values.

The last look is the newest one on an earlier day that the audit trail tells of. Rows are searched for only where a
check since then changed some.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from apps.audit.models import EventType
from apps.records import bodies, presenting, subjects
from apps.records.binary_cursors import binary_cursor
from apps.records.models import Record
from apps.records.presenters import delicate
from apps.records.presenters.entry import UNLISTED, Context
from apps.records.shelving.surroundings import Surroundings
from apps.records.subjects import HISTORY, Subject
from apps.records.viewing import rows, whens
from apps.records.viewing.whole import Whole

MOST_NAMED: Final = 5
_LOOKED_THROUGH: Final = 20  # some of what came is listed nowhere
# Written out, as they are asked whenever the first page is: putting them together anew costs more than asking.
_LAST_LOOK: Final = """
SELECT look.at FROM audit_auditevent AS look
WHERE look.user_id = %(user_id)s AND look.event = %(event)s AND look.at < %(today)s ORDER BY look.id DESC LIMIT 1
"""
_CHANGED: Final = """
SELECT step.resource_type, SUM(step.rows_changed) FROM records_syncstep AS step
JOIN records_syncrun AS run ON run.id = step.run_id AND run.connection_id = ANY(%(connections)b)
WHERE step.user_id = %(user_id)s AND step.finished_at > %(since)s AND step.rows_changed > 0
AND step.resource_type <> ALL(%(unnamed)b) GROUP BY step.resource_type
"""
_UNNAMED: Final = (*subjects.REFERRED_TO, "Provenance", "Patient")


@dataclass(frozen=True)
class Item:
    """One entry that is new, or other than it was."""

    record: int
    subject: Subject
    title: str
    when: str
    provider: str
    is_changed: bool


@dataclass(frozen=True)
class News:
    """`since` is when the record was last looked at. `count` is how many rows came or changed since."""

    since: datetime
    count: int
    items: tuple[Item, ...]


def of(whole: Whole) -> News | None:
    """None where nobody looked before, or nothing came since. What does not open is logged and left out.
    Raises VaultError where a key is missing."""
    since = _last_look(whole)
    if since is None:
        return None
    counted = _changed(whole, since)
    if not counted:
        return None
    items = _items(whole, since, list(counted))
    return News(since, max(sum(counted.values()), len(items)), items[:MOST_NAMED]) if items else None


def _last_look(whole: Whole) -> datetime | None:
    today = timezone.localtime(whole.at).replace(hour=0, minute=0, second=0, microsecond=0)
    asked: dict[str, Any] = {"user_id": whole.user_id, "event": EventType.RECORD_VIEWED.value, "today": today}
    with binary_cursor() as cursor:
        cursor.execute(_LAST_LOOK, asked)
        found = cursor.fetchone()
    return found[0] if found else None


def _changed(whole: Whole, since: datetime) -> dict[str, int]:
    connections, unnamed = list(whole.sources), list(_UNNAMED)
    asked: dict[str, Any] = {
        "user_id": whole.user_id, "connections": connections, "since": since, "unnamed": unnamed,
    }  # fmt: skip
    with binary_cursor() as cursor:
        cursor.execute(_CHANGED, asked)
        return dict(cursor.fetchall())


def _items(whole: Whole, since: datetime, resource_types: Sequence[str]) -> tuple[Item, ...]:
    mine = Record.objects.filter(user_id=whole.user_id, connection__in=list(whole.sources), removed_at__isnull=True)
    came = mine.filter(resource_type__in=resource_types, received_at__gt=since)
    newest = came.order_by("-received_at", "-pk")[:_LOOKED_THROUGH]
    opened = [(record, bodies.find_of(record, whole.ring)) for record in newest]
    readable = [(record, body) for record, body in opened if body is not None]
    contexts = _contexts(whole, readable)
    told = (_item(whole, record, body, contexts[record.connection_id], since) for record, body in readable)
    return tuple(item for item in told if item is not None)[:MOST_NAMED]


def _contexts(whole: Whole, readable: Sequence[tuple[Record, bytes]]) -> Mapping[UUID, Context]:
    """What the new rows of each connection are read with: an order may have its name from a Medication alone."""
    found: dict[UUID, list[bytes]] = defaultdict(list)
    for record, body in readable:
        found[record.connection_id].append(body)
    return {
        key: Surroundings(whole.sources[key].connection, whole.ring, birth_date=whole.sources[key].born).of(several)
        for key, several in found.items()
    }


def _item(whole: Whole, record: Record, body: bytes, context: Context, since: datetime) -> Item | None:
    """None for what no list has: withdrawn, not final, or of no subject; and for what a first page does not name."""
    resource, entry = presenting.present(
        body,
        resource_type=record.resource_type,
        logical_id=record.logical_id,
        context=context,
    )
    subject = subjects.subject_of(resource, resource_type=record.resource_type)
    if subject is None or entry.is_withdrawn or entry.group == UNLISTED:
        return None
    if subject is HISTORY or not delicate.is_of_first_page(entry):
        return None
    return Item(
        record=record.pk,
        subject=subject,
        title=rows.names(entry)[0],
        when=whens.in_words(entry.when),
        provider=whole.sources[record.connection_id].provider,
        is_changed=record.first_received_at <= since,
    )
