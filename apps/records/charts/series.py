"""The values of one test in time: what can stand on one axis together, and the table that tells every one of them.

Values of other units join only where they convert exactly, and say so; others make a series of their own. What has no
number, or no date, is in the table all the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from apps.records.presenters import units, vitals
from apps.records.presenters.moments import When
from apps.records.presenters.quantities import Quantity
from apps.records.presenters.ranges import ReferenceRange
from apps.records.presenters.results import Comparable, Group, Measured, ResultEntry, Status
from apps.records.presenters.values import Kind, Value
from apps.wire import datetimes
from apps.wire.datetimes import Precision

_TO = " \N{EN DASH} "
_TO_THE_SECOND = len("2019-03-04T09:30:00Z")
_HALF = {Precision.YEAR: timedelta(days=182), Precision.MONTH: timedelta(days=14)}


@dataclass(frozen=True)
class Observed:
    """An entry and the provider it is from, by name."""

    entry: Comparable
    provider: str = ""


@dataclass(frozen=True)
class Row:
    """A value as the table tells it. `shown` is as sent; `converted` what stands on the axis for it, where that is
    another number. `number` is the value as a number, where it is one. `providers` are several where they sent the very
    same."""

    when: When
    shown: str
    measured: Measured
    providers: tuple[str, ...] = ()
    converted: str = ""
    status: str = ""
    said: tuple[str, ...] = ()
    at_home: bool = False
    entry: Comparable = field(default_factory=ResultEntry)
    number: Decimal | None = None

    @property
    def year(self) -> str:
        """The year it is told under, empty where there is no date."""
        parsed = datetimes.parse(self.when.starts or self.when.ends)
        return "" if parsed is None else str(parsed.first_day.year)


@dataclass(frozen=True)
class Reading:
    """A value on the axis. `lower` is the second number of a blood pressure. `low` and `high` are the bounds of its own
    usual range in the unit of the axis; `provider` counts from 0."""

    at: datetime
    value: Decimal
    lower: Decimal | None = None
    comparator: str = ""
    place: str = ""
    low: Decimal | None = None
    high: Decimal | None = None
    provider: int = 0
    is_early: bool = False

    @property
    def range(self) -> tuple[Decimal | None, Decimal | None]:
        """Its range; equal ranges make one band."""
        return self.low, self.high


@dataclass(frozen=True)
class Worded:
    """A value in words, on the strip under the plot."""

    at: datetime
    words: str


@dataclass(frozen=True)
class Series:
    """What stands on one axis: readings and words, oldest first; rows, newest first, those without a date last."""

    test: str = ""
    unit: str = ""
    readings: tuple[Reading, ...] = ()
    worded: tuple[Worded, ...] = ()
    rows: tuple[Row, ...] = ()
    providers: tuple[str, ...] = ()

    @property
    def latest(self) -> Row | None:
        """The newest value with a date."""
        return next((row for row in self.rows if row.when and row.shown), None)

    @property
    def before(self) -> Row | None:
        """The one before that."""
        dated = [row for row in self.rows if row.when and row.shown]
        return dated[1] if len(dated) > 1 else None

    @property
    def compared(self) -> str:
        """How the latest stands to the one before: higher, lower, same, or empty where that is not certain."""
        pair = [row.measured.value for row in (self.latest, self.before) if row is not None]
        numbers = [_converted(value.quantity, self.unit_key) for value in pair if not value.quantity.comparator]
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
            return ""
        return "same" if numbers[0] == numbers[1] else "higher" if numbers[0] > numbers[1] else "lower"

    @property
    def unit_key(self) -> str:
        """What every value on the axis is in."""
        return next((row.measured.value.quantity.unit_key for row in self.rows if row.number is not None), "")


def of(observed: Iterable[Observed]) -> tuple[Series, ...]:
    """The series of one test: one for each unit that does not convert to another, the newest value's first.

    What is withdrawn or withheld is left out; what is canceled is not told as a value.
    """
    rows = _sorted(
        _merged(_row(each) for each in observed if not each.entry.is_withdrawn and not each.entry.is_withheld)
    )
    numbers = [row for row in rows if row.number is not None]
    others = [row for row in rows if row.number is None]
    found: list[Series] = []
    while numbers:
        key = numbers[0].measured.value.quantity.unit_key
        converts = {unit: _converts(unit, key) for unit in {row.measured.value.quantity.unit_key for row in numbers}}
        own = [row for row in numbers if converts[row.measured.value.quantity.unit_key]]
        numbers = [row for row in numbers if not converts[row.measured.value.quantity.unit_key]]
        found.append(_series(_sorted((*own, *others)) if not found else own, key))
    return tuple(found) or ((_series(others, ""),) if others else ())


def of_pressures(observed: Iterable[Observed]) -> Series:
    """The blood pressures of these entries, two numbers a reading."""
    by_provider: dict[str, list[Comparable]] = {}
    for each in observed:
        if not each.entry.is_withdrawn and not each.entry.is_withheld:
            by_provider.setdefault(each.provider, []).append(each.entry)
    pairs = [
        (reading, provider) for provider, entries in by_provider.items() for reading in vitals.blood_pressures(entries)
    ]
    rows = _sorted(_merged(_pressure_row(reading, provider) for reading, provider in pairs))
    names = _names(rows)
    readings = (_pressure(reading, names.index(provider)) for reading, provider in pairs)
    drawn = sorted(dict.fromkeys(reading for reading in readings if reading is not None), key=lambda each: each.at)
    unit = next((reading.upper.unit_shown or reading.lower.unit_shown for reading, _ in pairs), "")
    return Series(test="blood-pressure", unit=unit, readings=tuple(drawn), rows=tuple(rows), providers=names)


def moment(when: When) -> datetime | None:
    """Where a date stands on the axis: a year or a month in its middle; None without a date."""
    written = when.starts or when.ends
    if len(written) == _TO_THE_SECOND and when.sorts_at.endswith("/4"):  # as nearly all are sent: read to be sorted
        return datetime.fromisoformat(when.sorts_at.partition("/")[0])
    parsed = datetimes.parse(written)
    if parsed is None:
        return None
    try:
        return parsed.starts_at.astimezone(UTC) + _HALF.get(parsed.precision, timedelta(0))
    except OverflowError:
        return None


def _row(observed: Observed) -> Row:
    entry = observed.entry
    is_told = entry.group != Group.CANCELED
    return Row(
        when=entry.when,
        shown=shown(entry.value) if is_told else "",
        measured=entry,
        providers=(observed.provider,) if observed.provider else (),
        status=entry.status,
        said=entry.said,
        at_home=entry.at_home,
        entry=entry,
        number=_number(entry),
    )


def shown(value: Value) -> str:
    """A value in the provider's digits and words; empty for what needs words of ours (yes, no, a date, a file)."""
    if value.kind == Kind.QUANTITY:
        return value.quantity.shown
    if value.kind in {Kind.CODED, Kind.TEXT, Kind.TIME}:
        return value.text
    if value.kind == Kind.RATIO:
        joined = ":" if not (value.quantity.unit or value.until.unit) else " / "
        return f"{value.quantity.shown}{joined}{value.until.shown}"
    if value.kind == Kind.RANGE:
        low, high = value.quantity, value.until
        if low and high:
            return f"{low.value}{_TO}{high.shown}" if low.unit_key == high.unit_key else f"{low.shown}{_TO}{high.shown}"
        return f"≥ {low.shown}" if low else f"≤ {high.shown}"
    return ""


def _merged(rows: Iterable[Row]) -> list[Row]:
    """The very same from several providers once, with all their names."""
    rows = list(rows)
    if len({row.providers for row in rows}) < 2:  # nobody repeats another
        return rows
    found: dict[tuple[object, ...], Row] = {}
    for row in rows:
        mark: tuple[object, ...] = (
            row.when.starts,
            row.when.ends,
            row.when.text,
            row.shown,
            row.measured.place,
            row.status,
            row.said,
        )
        mark += () if row.when and row.shown and row.providers else (len(found),)
        same = found.get(mark)
        if same is not None and row.providers[0] not in same.providers:
            found[mark] = replace(same, providers=(*same.providers, *row.providers))
        else:
            found[mark if same is None else (*mark, len(found))] = row
    return list(found.values())


def _sorted(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row.when.sorts_at, reverse=True)


def _names(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in rows for name in (row.providers or ("",))))


def _number(entry: Comparable) -> Decimal | None:
    return None if entry.group == Group.CANCELED else entry.value.number


def _converts(unit: str, key: str) -> bool:
    """Whether values of that unit can stand on an axis of the other: no number is needed to know."""
    return units.convert(Decimal(1), unit, key) is not None


def _converted(quantity: Quantity, key: str) -> Decimal | None:
    number = quantity.number
    return None if number is None else units.convert(number, quantity.unit_key, key)


def _series(rows: Sequence[Row], key: str) -> Series:
    names = _names(rows)
    numbers = [row for row in rows if row.number is not None]
    unit = numbers[0].measured.value.quantity.unit_shown if numbers else ""
    readings = [found for row in reversed(numbers) if (found := _reading(row, key, names)) is not None]
    worded = (
        Worded(at, row.shown)
        for row in reversed(rows)
        if row.number is None and row.shown and (at := moment(row.when)) is not None
    )
    return Series(
        test=rows[0].entry.test if rows else "",
        unit=unit,
        readings=tuple(sorted(readings, key=lambda each: each.at)),
        worded=tuple(worded) if numbers else (),
        rows=tuple(_told(row, key, unit) for row in rows),
        providers=names,
    )


def _told(row: Row, key: str, unit: str) -> Row:
    quantity = row.measured.value.quantity
    if row.number is None or quantity.unit_key == key:
        return row
    value = units.convert(row.number, quantity.unit_key, key)
    if value is None:
        return row
    return replace(row, converted=Quantity(f"{value:f}", quantity.comparator, unit).shown)


def _reading(row: Row, key: str, names: Sequence[str]) -> Reading | None:
    at, quantity = moment(row.when), row.measured.value.quantity
    value = None if row.number is None else units.convert(row.number, quantity.unit_key, key)
    if at is None or value is None:
        return None
    low, high = _bounds(row.measured.usual_range, quantity, key)
    return Reading(
        at=at,
        value=value,
        comparator=quantity.comparator,
        place=row.measured.place,
        low=low,
        high=high,
        provider=names.index(row.providers[0] if row.providers else ""),
        is_early=row.status in {Status.EARLY, Status.PARTIAL},
    )


def _bounds(wanted: ReferenceRange | None, quantity: Quantity, key: str) -> tuple[Decimal | None, Decimal | None]:
    if wanted is None or not wanted.is_numeric:
        return None, None
    found = [
        units.convert(bound.number, bound.unit_key or quantity.unit_key, key) if bound.number is not None else None
        for bound in (wanted.low, wanted.high)
    ]
    return found[0], found[1]


def _pressure_row(reading: vitals.BloodPressure, provider: str) -> Row:
    entry = reading.entries[0]
    return Row(
        when=reading.when,
        shown=reading.shown,
        measured=entry,
        providers=(provider,) if provider else (),
        status=entry.status,
        said=tuple(dict.fromkeys(said for each in reading.entries for said in each.said)),
        at_home=any(each.at_home for each in reading.entries),
        entry=entry,
        number=_number(entry),
    )


def _pressure(reading: vitals.BloodPressure, provider: int) -> Reading | None:
    at, upper, lower = moment(reading.when), reading.upper.number, reading.lower.number
    is_exact = not reading.upper.comparator and not reading.lower.comparator
    if at is None or upper is None or lower is None or not reading.is_whole or not is_exact:
        return None
    is_early = any(entry.status == Status.EARLY for entry in reading.entries)
    return Reading(at, upper, lower, provider=provider, is_early=is_early)
