"""What a chart needs of a result: when it was, how much, and what many results of a test have alike. A page reads five
hundred of these in one go, and what its table tells of a result for a few rows alone."""

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
_MARK_BYTES: Final = 12  # no two of some thousand values are alike by chance


class Point(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One result. `at` is where it stands in time, None without a date; `sorts_at` orders a table. `number` is its
    value, where that is one; of others `words` is what the provider says it is, empty where it says nothing.
    `is_left_out`: it is told nowhere. `mark` is of what two providers who sent the very same say alike, empty where
    that cannot be known."""

    at: datetime | None = None
    sorts_at: str = ""
    number: Decimal | None = None
    words: str = ""
    is_left_out: bool = False
    mark: bytes = b""


class Alike(msgspec.Struct, frozen=True, gc=False):
    """What a laboratory says of many results alike. `quantity` has no digits. `is_modified`: they may mean something
    else than they seem to. `told` is what else of it is told with each, as it is written (`comparing.told`)."""

    quantity: Quantity = NO_QUANTITY
    place: str = ""
    is_early: bool = False
    is_modified: bool = False
    usual_range: ReferenceRange | None = None
    told: bytes = b""


def of(entry: Comparable) -> tuple[Point, Alike]:
    """The point of a result. What is withdrawn or withheld is left out; what is canceled has no value."""
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


def shown(value: Value) -> str:
    """A value in the provider's digits and words; empty for what needs words of ours: yes, no, a date, a file, and that
    the provider says it is none."""
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
