"""The values of one test over time: those that can share an axis, and the table that shows every one of them.

Values in other units join only if they convert exactly, and the table says so; the others form a series of their own.
A value without a number or a date is in the table nevertheless.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from itertools import islice
from operator import attrgetter
from typing import Final, NamedTuple, Protocol, TypeVar, overload
from uuid import UUID

import msgspec
from msgspec.structs import replace

from apps.records.charts import points
from apps.records.charts.points import Alike, Point
from apps.records.charts.readings import Reading
from apps.records.charts.rows import Row
from apps.records.presenters.datatypes import units
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.datatypes.ranges import ReferenceRange
from apps.records.presenters.observations import vitals
from apps.records.presenters.observations.results import Comparable, Group, Status
from apps.records.senders import NOBODY, Sender


class Observed(NamedTuple):
    """An entry, its sender and its record."""

    entry: Comparable
    sender: Sender = NOBODY
    record: int = 0


class SeriesValue(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A result, by its point. `rest` is what else it says, which `read` decodes together with what many results share.
    `senders` are several if they sent the same result. `connection_id` is the link by which it came."""

    point: Point
    alike: Alike
    rest: bytes
    read: Callable[[Alike, bytes], Comparable]
    senders: tuple[Sender, ...] = ()
    connection_id: UUID | None = None
    record: int = 0

    def entry(self) -> Comparable:
        """The decoded result. A page needs only fifty of five hundred."""
        return self.read(self.alike, self.rest)


@dataclass(frozen=True)
class WordedValue:
    """A value in words, on the strip under the plot."""

    at: datetime
    words: str


@dataclass(frozen=True)
class Series:
    """What shares one axis: readings and values in words, the oldest first; and rows, the newest first and those
    without a date last, each of which is read when it is needed. `providers` are the names of the rows' providers, and
    `usual_ranges` the rows' usual ranges, in their order and without repetition."""

    unit: str = ""
    readings: tuple[Reading, ...] = ()
    worded: tuple[WordedValue, ...] = ()
    rows: Sequence[Row] = ()
    providers: tuple[str, ...] = ()
    usual_ranges: tuple[ReferenceRange, ...] = ()

    @property
    def latest(self) -> Row | None:
        """The newest value with a date."""
        return next(iter(self._newest), None)

    @property
    def before(self) -> Row | None:
        """The newest value but one with a date."""
        return self._newest[1] if len(self._newest) > 1 else None

    @cached_property
    def _newest(self) -> tuple[Row, ...]:
        return tuple(islice((row for row in self.rows if row.when and row.shown), 2))

    @property
    def compared(self) -> str:
        """How the latest value compares with the one before: higher, lower, same, or empty if that is not certain."""
        pair = [row.measured.value for row in (self.latest, self.before) if row is not None and not row.is_modified]
        numbers = [_converted(value.quantity, self.unit_key) for value in pair if not value.quantity.comparator]
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
            return ""
        if numbers[0] == numbers[1]:
            return "same"
        return "higher" if numbers[0] > numbers[1] else "lower"

    @property
    def unit_key(self) -> str:
        """The key of the unit of the axis."""
        return next((row.measured.value.quantity.unit_key for row in self.rows if row.number is not None), "")


def of(values: Iterable[SeriesValue]) -> tuple[Series, ...]:
    """The series of one test: one for each set of units that convert to each other, the one with the newest value
    first.

    Withdrawn and withheld results are left out; canceled ones are shown without a value. Rows raise what reading an
    entry raises.
    """
    merged = _merge([each for each in values if not each.point.is_left_out], _point_mark, _from_all)
    told = sorted(merged, key=_sorts_at, reverse=True)
    numbers = [each for each in told if each.point.number is not None]
    others = [each for each in told if each.point.number is None] if len(numbers) < len(told) else []
    found: list[Series] = []
    for own in _by_axis(numbers):
        with_others = sorted([*own, *others], key=_sorts_at, reverse=True) if others and not found else own
        found.append(_series(with_others, own[0].alike.quantity.unit_key))
    return tuple(found) or ((_series(others, ""),) if others else ())


def _by_axis(numbers: Sequence[SeriesValue]) -> Iterable[Sequence[SeriesValue]]:
    """The values grouped by axis, in one pass, since each may have a unit of its own."""
    axes = {id(alike): units.axis(alike.quantity.unit_key) for alike in _each_alike(numbers)}
    if len(set(axes.values())) < 2:  # nearly always
        return [numbers] if numbers else []
    by_axis = defaultdict[tuple[str, str], list[SeriesValue]](list)
    for each in numbers:
        by_axis[axes[id(each.alike)]].append(each)
    return by_axis.values()


_AT: Final = attrgetter("at")
_sorts_at: Final = attrgetter("point.sorts_at")
_point_mark: Final = attrgetter("point.mark")


def _from_all(told: SeriesValue, sent_by: tuple[Sender, ...]) -> SeriesValue:
    return replace(told, senders=sent_by)


def of_pressures(observed: Iterable[Observed]) -> Series:
    """The series of blood pressures from these entries, with two numbers to each reading."""
    by_sender: dict[Sender, list[Comparable]] = {}
    records: dict[int, int] = {}
    for each in observed:
        if not each.entry.is_withdrawn and not each.entry.is_withheld:
            by_sender.setdefault(each.sender, []).append(each.entry)
            records[id(each.entry)] = each.record
    pairs = [(reading, sender) for sender, entries in by_sender.items() for reading in vitals.blood_pressures(entries)]
    found = [_pressure_row(reading, sender, records) for reading, sender in pairs]
    rows = _sorted_rows(_merge(found, _row_mark, lambda row, sent_by: replace(row, senders=sent_by)))
    names = _names(rows)
    read = {id(reading.entries[0]): reading for reading, _ in pairs}  # a row keeps only its reading's first entry
    readings = (_pressure(read[id(row.entry)], names.index(_provider(row.senders))) for row in rows)
    drawn = sorted(dict.fromkeys(reading for reading in readings if reading is not None), key=lambda each: each.at)
    unit = next((reading.upper.unit_shown or reading.lower.unit_shown for reading, _ in pairs), "")
    usual = dict.fromkeys(row.measured.usual_range for row in rows if row.measured.usual_range is not None)
    return Series(unit, tuple(drawn), rows=tuple(rows), providers=names, usual_ranges=tuple(usual))


def _known(sender: Sender) -> tuple[Sender, ...]:
    return () if sender == NOBODY else (sender,)


class _Rows(Sequence[Row]):
    """Rows that are made when they are needed: a page shows only fifty of five hundred."""

    def __init__(self, told: Sequence[SeriesValue], key: str, unit: str) -> None:
        self._told, self._key, self._unit = told, key, unit
        self._made: dict[int, Row] = {}

    def __len__(self) -> int:
        return len(self._told)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        places = range(len(self._told))[place]
        return self._row(places) if isinstance(places, int) else tuple(map(self._row, places))

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, range(len(self._told)))

    def _row(self, place: int) -> Row:
        row = self._made.get(place)
        if row is None:
            row = self._made[place] = _converted_row(_row(self._told[place]), self._key, self._unit)
        return row


def _row(told: SeriesValue) -> Row:
    entry = told.entry()
    is_told = entry.group != Group.CANCELED
    return Row(
        when=entry.when,
        shown=points.shown(entry.value) if is_told else "",
        measured=entry,
        senders=told.senders,
        status=entry.status,
        said=entry.said,
        doubts=entry.doubts,
        is_modified=entry.is_modified,
        at_home=entry.at_home,
        entry=entry,
        number=told.point.number,
        record=told.record,
    )


class _Sent(Protocol):
    @property
    def senders(self) -> tuple[Sender, ...]: ...


_T = TypeVar("_T", bound=_Sent)


def _merge(told: list[_T], mark: Callable[[_T], object], joined: Callable[[_T, tuple[Sender, ...]], _T]) -> list[_T]:
    """Merge what several senders sent alike, so that it appears once, with all senders. `mark` is equal for what is the
    same, and empty if nothing can be the same."""
    if len({each.senders for each in _by_senders(told)}) < 2:  # with a single sender, there is nothing to merge
        return told
    found: dict[object, _T] = {}
    for each in told:
        said = mark(each) if each.senders else None
        same = found.get(said) if said else None
        if same is None or each.senders[0] in same.senders:
            found[said if said and same is None else len(found)] = each
        else:
            found[said] = joined(same, (*same.senders, *each.senders))
    return list(found.values())


def _by_senders(sent: Iterable[_T]) -> Iterable[_T]:
    """One item for each tuple of senders. Nearly all items share the same tuple."""
    return {id(each.senders): each for each in sent}.values()


def _row_mark(row: Row) -> object:
    when = row.when
    said = (when.starts, when.ends, when.text, row.shown, row.measured.place, row.status, row.said, row.doubts)
    return said if when and row.shown else None


def _sorted_rows(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row.when.sorts_at, reverse=True)


def _names(rows: Iterable[Row | SeriesValue]) -> tuple[str, ...]:
    sent_by = dict.fromkeys(row.senders for row in _by_senders(rows))
    return tuple(dict.fromkeys(sender.provider for each in sent_by for sender in (each or (NOBODY,))))


def _provider(sent_by: Sequence[Sender]) -> str:
    """The provider under which it is drawn: the first, if there are several."""
    return sent_by[0].provider if sent_by else NOBODY.provider


def _converted(quantity: Quantity, key: str) -> Decimal | None:
    number = quantity.number
    return None if number is None else units.convert(number, quantity.unit_key, key)


def _series(told: Sequence[SeriesValue], key: str) -> Series:
    numbers = [each for each in told if each.point.number is not None]
    unit = numbers[0].alike.quantity.unit_shown if numbers else ""
    names, alikes = _names(told), tuple(_each_alike(told))
    rows = _Rows(told, key, unit)
    usual = (alike.usual_range for alike in alikes)
    return Series(
        unit=unit,
        readings=_readings(numbers, alikes, key, names),
        worded=_worded(told) if 0 < len(numbers) < len(told) else (),
        rows=rows,
        providers=names,
        usual_ranges=tuple(dict.fromkeys(sent for sent in usual if sent is not None)),
    )


def _worded(told: Sequence[SeriesValue]) -> tuple[WordedValue, ...]:
    points_of_words = (each.point for each in reversed(told) if each.point.words)
    return tuple(WordedValue(point.at, point.words) for point in points_of_words if point.at is not None)


def _converted_row(row: Row, key: str, unit: str) -> Row:
    quantity = row.measured.value.quantity
    if row.number is None or quantity.unit_key == key:
        return row
    value = units.convert(row.number, quantity.unit_key, key)
    if value is None:
        return row
    return replace(row, converted=Quantity(f"{value:f}", quantity.comparator, unit).shown)


def _readings(
    numbers: Sequence[SeriesValue], alikes: Iterable[Alike], key: str, names: Sequence[str]
) -> tuple[Reading, ...]:
    """The readings, oldest first, each with the bounds of its own range. Nearly all share one range."""
    providers = {name: number for number, name in enumerate(names)}
    said_alike = {id(alike): _said_alike(alike, key) for alike in alikes}
    found: list[Reading] = []
    for told in reversed(numbers):
        at, value, alike = told.point.at, told.point.number, told.alike
        if value is not None and alike.quantity.unit_key != key:
            value = units.convert(value, alike.quantity.unit_key, key)
        if at is None or value is None:
            continue
        provider = providers[_provider(told.senders)]
        found.append(Reading(at, value, None, *said_alike[id(alike)], provider, alike.is_early, alike.is_modified))
    return tuple(sorted(found, key=_AT))


def _each_alike(told: Iterable[SeriesValue]) -> Iterable[Alike]:
    """The different `Alike`s of these values, in their order. Nearly all values share one."""
    return {id(each.alike): each.alike for each in told}.values()


def _said_alike(alike: Alike, key: str) -> tuple[str, str, Decimal | None, Decimal | None]:
    """The fields of a `Reading` from `comparator` to `high`, which nearly all readings share."""
    return alike.quantity.comparator, alike.place, *_bounds(alike.usual_range, alike.quantity, key)


def _bounds(wanted: ReferenceRange | None, quantity: Quantity, key: str) -> tuple[Decimal | None, Decimal | None]:
    if wanted is None or not wanted.is_numeric:
        return None, None
    found = [
        units.convert(bound.number, bound.unit_key or quantity.unit_key, key) if bound.number is not None else None
        for bound in (wanted.low, wanted.high)
    ]
    return found[0], found[1]


def _pressure_row(reading: vitals.BloodPressure, sender: Sender, records: Mapping[int, int]) -> Row:
    entry = reading.entries[0]
    return Row(
        when=reading.when,
        shown=reading.shown,
        measured=entry,
        senders=_known(sender),
        status=entry.status,
        said=tuple(dict.fromkeys(said for each in reading.entries for said in each.said)),
        doubts=tuple(dict.fromkeys(doubt for each in reading.entries for doubt in each.doubts)),
        is_modified=any(each.is_modified for each in reading.entries),
        at_home=any(each.at_home for each in reading.entries),
        entry=entry,
        number=None if entry.group == Group.CANCELED else entry.value.number,
        record=records[id(entry)] if len(reading.entries) == 1 else 0,
    )


def _pressure(reading: vitals.BloodPressure, provider: int) -> Reading | None:
    at, upper, lower = points.moment(reading.when), reading.upper.number, reading.lower.number
    is_exact = not reading.upper.comparator and not reading.lower.comparator
    if at is None or upper is None or lower is None or not reading.is_whole or not is_exact:
        return None
    is_early = any(entry.status == Status.EARLY for entry in reading.entries)
    is_modified = any(entry.is_modified for entry in reading.entries)
    return Reading(at, upper, lower, provider=provider, is_early=is_early, is_modified=is_modified)
