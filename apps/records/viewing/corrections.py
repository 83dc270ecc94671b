"""The earlier values of corrected results, shown in their table row beside the present ones (patient experience 4.2).

Only results that their provider calls corrected, and only rows that are shown: nothing else is opened. For each, the
newest earlier version with a different value is shown; some providers send a result again with nothing but a new time
stamp. The page of the entry has all versions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import F, Q, Window
from django.db.models.functions import Length, RowNumber
from django.db.models.lookups import LessThanOrEqual
from msgspec.structs import replace

from apps.records import bodies, presenting
from apps.records.charts import points
from apps.records.charts.rows import Row
from apps.records.models import RecordVersion
from apps.records.presenters.entry import Context
from apps.records.presenters.observations import vitals
from apps.records.presenters.observations.results import WITHOUT_RESULT, ResultEntry, Status
from apps.records.presenters.sensitivity import grave_entries
from apps.records.viewing import value_rows
from apps.records.viewing.wording import values_in_words
from apps.vault.sealing import KeyRing

_MOST_VERSIONS: Final = 5  # of each record: the newest, and the first
_LARGEST_BYTES: Final = 50_000  # sealed: no result in a row is so large
_LARGEST_BODY: Final = 200_000  # opened: twenty megabytes of the same letter are sealed as one kilobyte
_ROWS_AT_ONCE: Final = 100


class _Version(NamedTuple):
    record: int
    connection_id: UUID
    resource_type: str
    logical_id: str
    sealed_body: bytes


_COLUMNS: Final = ("record_id", "record__connection_id", "record__resource_type", "record__logical_id", "sealed_body")


def before(rows: Iterable[Row], ring: KeyRing, *, is_open: Callable[[int], bool]) -> Mapping[int, str]:
    """What to show for each of these rows, by record, as its earlier value. A row is left out if no version had another
    value, or if a version was marked as possibly grave news, unless its record `is_open`. One query; none if no row is
    corrected. Raises VaultError if a key is missing."""
    corrected = {row.record: row for row in rows if row.record and row.status == Status.CORRECTED}
    if not corrected:
        return {}
    found = {}
    for record, versions in groupby(_versions(corrected), key=itemgetter(0)):
        row = corrected[record]
        said = (_said(sent, row, ring, is_open=is_open) for sent in versions)
        if other := next(filter(None, said), ""):
            found[record] = other
    return found


def beside(rows: Sequence[Row], told: Mapping[int, str]) -> Sequence[Row]:
    """These rows, each with its earlier value if it has one."""
    if not told:
        return rows
    return tuple(replace(row, before=told[row.record]) if row.record in told else row for row in rows)


def _versions(records: Iterable[int]) -> Iterator[_Version]:
    """The newest few versions of each record and the first, newest first: if a record is sent again at every check, the
    newest few all have the present value, and only the first has the earlier one."""
    newest, oldest = [F("superseded_at").desc(), F("pk").desc()], [F("superseded_at").asc(), F("pk").asc()]
    small = LessThanOrEqual(Length("sealed_body"), _LARGEST_BYTES)
    versions = RecordVersion.objects.filter(small, record__in=list(records))
    numbered = versions.annotate(
        number=Window(RowNumber(), partition_by="record_id", order_by=newest),
        from_first=Window(RowNumber(), partition_by="record_id", order_by=oldest),
    )
    wanted = numbered.filter(Q(number__lte=_MOST_VERSIONS) | Q(from_first=1)).order_by("record_id", "number")
    return map(_Version._make, wanted.values_list(*_COLUMNS).iterator(chunk_size=_ROWS_AT_ONCE))


def _said(sent: _Version, row: Row, ring: KeyRing, *, is_open: Callable[[int], bool]) -> str:
    """The value of this version, if it is another value of the same test."""
    named = {"resource_type": sent.resource_type, "logical_id": sent.logical_id}
    body = bodies.find(sent.sealed_body, ring, connection_id=sent.connection_id, **named)
    if body is None or len(body) > _LARGEST_BODY:
        return ""
    entry = presenting.present(body, **named, context=Context())[1]
    if not isinstance(entry, ResultEntry) or entry.is_withdrawn or entry.is_withheld or entry.group in WITHOUT_RESULT:
        return ""
    if entry.test != row.entry.test or (grave_entries.may_carry(entry) and not is_open(sent.record)):
        return ""
    said = _value(entry)
    return "" if said == value_rows.value(row) else said


def _value(entry: ResultEntry) -> str:
    reading = vitals.blood_pressure(entry) if entry.components else None
    return reading.shown if reading else points.shown(entry.value) or values_in_words.of_value(entry.value)
