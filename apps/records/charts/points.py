"""What a chart needs from a result: its time, its number, and what many results of a test share. A page reads five
hundred of these at once, but reads what the table shows only for a few rows."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Final

import msgspec

from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.datatypes.ranges import ReferenceRange
from apps.records.presenters.observations.results import Comparable, Group, Status
from apps.records.presenters.observations.values import Kind, Value
from apps.wire import datetimes
from apps.wire.datetimes import Precision

_TO: Final = " \N{EN DASH} "
_TO_THE_SECOND: Final = len("2019-03-04T09:30:00Z")
_HALF: Final = {Precision.YEAR: timedelta(days=182), Precision.MONTH: timedelta(days=14)}
_EARLY: Final = frozenset({Status.EARLY, Status.PARTIAL})
_MARK_BYTES: Final = 12  # enough that no two of several thousand marks are equal by chance


class Point(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One result. `at` is its position on the axis of time, None without a date; `sorts_at` orders a table. `number` is
    its value, if that is a number; otherwise `words` is the value in the provider's words, or empty. `is_left_out`: it
    is not shown anywhere. `mark` is equal for the same result from two providers, and empty if we cannot tell."""

    at: datetime | None = None
    sorts_at: str = ""
    number: Decimal | None = None
    words: str = ""
    is_left_out: bool = False
    mark: bytes = b""


class Alike(msgspec.Struct, frozen=True, gc=False):
    """What many results from one laboratory share. `quantity` has no digits. `is_modified`: the results have a modifier
    or a doubt. `told` is what else they share, as written by `comparing.told`."""

    quantity: Quantity = NO_QUANTITY
    place: str = ""
    is_early: bool = False
    is_modified: bool = False
    usual_range: ReferenceRange | None = None
    told: bytes = b""


def of(entry: Comparable) -> tuple[Point, Alike]:
    """The point of a result. A withdrawn or withheld result is left out; a canceled one has no value."""
    value = entry.value
    said = shown(value) if entry.group != Group.CANCELED else ""
    number = value.number if entry.group != Group.CANCELED else None
    point = Point(
        at=moment(entry.when),
        sorts_at=entry.when.sorts_at,
        number=number,
        words=said if number is None else "",
        is_left_out=entry.is_withdrawn or entry.is_withheld,
        mark=_mark(entry, said) if entry.when and said else b"",
    )
    sent = value.quantity
    quantity = Quantity(comparator=sent.comparator, unit=sent.unit, code=sent.code)
    return point, Alike(quantity, entry.place, entry.status in _EARLY, entry.is_modified, entry.usual_range)


def moment(when: When) -> datetime | None:
    """The position of a date on the axis; for a year or a month, its middle. None without a date."""
    written = when.starts or when.ends
    if len(written) == _TO_THE_SECOND and when.sorts_at.endswith("/4"):  # nearly always: `sorts_at` has it
        return datetime.fromisoformat(when.sorts_at.partition("/")[0])
    parsed = datetimes.parse(written)
    if parsed is None:
        return None
    try:
        return parsed.starts_at.astimezone(UTC) + _HALF.get(parsed.precision, timedelta(0))
    except OverflowError:
        return None


def shown(value: Value) -> str:
    """A value in the provider's digits and words. Empty if it needs our words: yes, no, a date, a file, or that the
    provider says there is no value."""
    if value.absence:
        return ""
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


def _mark(entry: Comparable, said: str) -> bytes:
    when = entry.when
    told = (when.starts, when.ends, when.text, said, entry.place, entry.status, entry.said, entry.doubts)
    return blake2b(msgspec.msgpack.encode(told), digest_size=_MARK_BYTES).digest()
