"""What is new in a record since its owner last looked at it: names and dates, and no values.

The last look is the newest one on an earlier day that the audit trail tells of. Rows are searched for only where a
check since then changed some.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import QuerySet, Sum
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.records import places, presenting, subjects
from apps.records.models import Record, SyncStep
from apps.records.presenters import elements
from apps.records.presenters.entry import UNLISTED, Context
from apps.records.subjects import Subject
from apps.records.viewing import rows, whens
from apps.records.viewing.whole import Whole
from apps.vault.errors import CannotOpen

_LOG = logging.getLogger(__name__)

MOST_NAMED: Final = 5
_LOOKED_THROUGH: Final = 20  # some of what came is listed nowhere
_MEDICINES: Final = re.compile(rb'"reference"\s*:\s*"(?:[^"]{0,500}/)?Medication/([A-Za-z0-9.\-]{1,64})"')


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
    """None where nobody looked before, or nothing came since. Raises VaultError where a body does not open."""
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
    looks = AuditEvent.objects.filter(user_id=whole.user_id, event=EventType.RECORD_VIEWED, at__lt=today)
    return looks.order_by("-id").values_list("at", flat=True).first()


def _changed(whole: Whole, since: datetime) -> dict[str, int]:
    steps = SyncStep.objects.filter(
        run__connection__in=list(whole.sources), user_id=whole.user_id, finished_at__gt=since, rows_changed__gt=0
    ).exclude(resource_type__in=(*subjects.REFERRED_TO, "Provenance", "Patient"))
    return dict(steps.values_list("resource_type").annotate(Sum("rows_changed")))


def _items(whole: Whole, since: datetime, resource_types: Sequence[str]) -> tuple[Item, ...]:
    mine = Record.objects.filter(user_id=whole.user_id, connection__in=list(whole.sources), removed_at__isnull=True)
    came = mine.filter(resource_type__in=resource_types, received_at__gt=since)
    opened = [(record, _opened(whole, record)) for record in came.order_by("-received_at", "-pk")[:_LOOKED_THROUGH]]
    readable = [(record, body) for record, body in opened if body is not None]
    medicines = _medicines(whole, mine, [body for _record, body in readable])
    told = (_item(whole, record, body, medicines.get(record.connection_id, {}), since) for record, body in readable)
    return tuple(item for item in told if item is not None)[:MOST_NAMED]


def _opened(whole: Whole, record: Record) -> bytes | None:
    """None where it does not open, which hides nothing else that is new."""
    place = places.body_place(
        connection_id=record.connection_id, resource_type=record.resource_type, logical_id=record.logical_id
    )
    try:
        return whole.ring.open_body(bytes(record.sealed_body), place=place)
    except CannotOpen:
        _LOG.error("A record does not open: connection %s, %s.", record.connection_id, record.pk)
        return None


def _medicines(
    whole: Whole, mine: QuerySet[Record], bodies: Sequence[bytes]
) -> Mapping[UUID, Mapping[str, elements.Element]]:
    """The medicines that orders refer to: without them these have no name. One query, where there are any."""
    wanted = {name.decode() for body in bodies for name in _MEDICINES.findall(body)}
    found: dict[UUID, dict[str, elements.Element]] = defaultdict(dict)
    for record in mine.filter(resource_type="Medication", logical_id__in=wanted) if wanted else ():
        found[record.connection_id][f"Medication/{record.logical_id}"] = elements.parse(_opened(whole, record) or b"")
    return found


def _item(
    whole: Whole, record: Record, body: bytes, others: Mapping[str, elements.Element], since: datetime
) -> Item | None:
    """None for what no list has: withdrawn, not final, or of no subject."""
    resource, entry = presenting.present(
        body,
        resource_type=record.resource_type,
        logical_id=record.logical_id,
        context=Context(others=others, birth_date=whole.born),
    )
    subject = subjects.subject_of(resource, resource_type=record.resource_type)
    if subject is None or entry.is_withdrawn or entry.group == UNLISTED:
        return None
    return Item(
        record=record.pk,
        subject=subject,
        title=rows.names(entry)[0],
        when=whens.in_words(entry.when),
        provider=whole.sources[record.connection_id].provider,
        is_changed=record.first_received_at <= since,
    )
