"""Many values as few marks that hide nothing: for each stretch of time the lowest, the highest, the first and the last.

More than 120 values are combined by week, month, quarter or year, whichever is the shortest that keeps the drawing
readable on a phone (patient experience 4.2). No drawing has more than 500 points, not counting one for each stretch
that has a value with a modifier or a doubt.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from operator import attrgetter
from typing import Final

import msgspec

from apps.records.charts.readings import Reading

MOST_SINGLE = 120
_DAYS_OF_A_WEEK = 7
_MONTHS_OF_A_QUARTER = 3
_MONTHS_OF_A_YEAR = 12
_MOST_STRETCHES = 61  # the months of five years; more of them overlap on a phone, and look like a comb


class Each(StrEnum):
    """What one mark stands for."""

    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    STRETCH = "stretch"  # an equal part of the time, only if dates are many decades apart


class Stretch(msgspec.Struct, frozen=True, gc=False):
    """The readings of one stretch that matter. Readings with a comparator are separate: `less` and `more` are the
    farthest on each side. `lowest` and the others are None if no reading is an exact number. `modified` is the last
    reading with a modifier or a doubt."""

    lowest: Reading | None
    highest: Reading | None
    first: Reading | None
    last: Reading | None
    less: Reading | None = None
    more: Reading | None = None
    count: int = 0
    modified: Reading | None = None


def divided(readings: Sequence[Reading]) -> tuple[Each | None, tuple[Stretch, ...]]:
    """The stretches, oldest first, and their kind; None and empty if every value can have a mark of its own."""
    if len(readings) <= MOST_SINGLE:
        return None, ()
    by_name: tuple[tuple[Each, Callable[[datetime], object]], ...] = (
        (Each.WEEK, lambda at: (at.toordinal() - 1) // _DAYS_OF_A_WEEK),  # day 1 of Python's calendar is a Monday
        (Each.MONTH, _month),
        (Each.QUARTER, lambda at: _month(at) // _MONTHS_OF_A_QUARTER),
        (Each.YEAR, lambda at: at.year),
    )
    for each, part in by_name:
        parts = [part(reading.at) for reading in readings]
        if len(set(parts)) <= _MOST_STRETCHES:
            return each, _parted(readings, parts)
    starts, ends = readings[0].at, readings[-1].at
    way = (ends - starts) / _MOST_STRETCHES
    parts = [min(int((reading.at - starts) / way), _MOST_STRETCHES - 1) for reading in readings]
    return Each.STRETCH, _parted(readings, parts)


def _month(at: datetime) -> int:
    return at.year * _MONTHS_OF_A_YEAR + at.month - 1


def _parted(readings: Sequence[Reading], parts: Sequence[object]) -> tuple[Stretch, ...]:
    parted = defaultdict[object, list[Reading]](list)
    for reading, part in zip(readings, parts, strict=True):
        parted[part].append(reading)
    return tuple(map(_stretch, parted.values()))


_VALUE: Final = attrgetter("value")
_IS_MODIFIED: Final = attrgetter("is_modified")
_COMPARATOR: Final = attrgetter("comparator")


def _stretch(readings: Sequence[Reading]) -> Stretch:
    bounds = [reading for reading in readings if reading.comparator] if any(map(_COMPARATOR, readings)) else []
    plain = [reading for reading in readings if not reading.comparator] if bounds else readings
    return Stretch(
        lowest=min(plain, key=_lowest if plain and plain[0].lower is not None else _VALUE, default=None),
        highest=max(plain, key=_VALUE, default=None),
        first=plain[0] if plain else None,
        last=plain[-1] if plain else None,
        less=min((each for each in bounds if each.comparator.startswith("<")), key=_VALUE, default=None),
        more=max((each for each in bounds if each.comparator.startswith(">")), key=_VALUE, default=None),
        count=len(readings),
        modified=next(filter(_IS_MODIFIED, reversed(plain)), None),
    )


def _lowest(reading: Reading) -> Decimal:
    return reading.value if reading.lower is None else reading.lower
