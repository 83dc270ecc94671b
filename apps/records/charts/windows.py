"""The periods that a chart can show: a year, five years, or all (patient experience 4.2)."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from operator import attrgetter
from typing import Final

from apps.records.charts.readings import Reading

_ENOUGH = 3  # values for a chart; fewer are just as clear in a table


class Span(StrEnum):
    """How far back a chart goes."""

    YEAR = "1-year"
    FIVE_YEARS = "5-years"
    ALL = "all"


_AT: Final = attrgetter("at")
_DAYS = {Span.YEAR: 366, Span.FIVE_YEARS: 5 * 366}


@dataclass(frozen=True)
class Window:
    """One period. `count` is the number of values in it."""

    span: Span
    starts: datetime
    ends: datetime
    count: int

    def holds(self, at: datetime) -> bool:
        """Whether a moment is within the window."""
        return self.starts <= at <= self.ends

    def within(self, readings: Sequence[Reading]) -> Sequence[Reading]:
        """The readings within the window. `readings` must be sorted, the oldest first."""
        return readings[_within(readings, self.starts, self.ends)]


def choices(readings: Sequence[Reading], now: datetime) -> tuple[Window, ...]:
    """The windows worth a link: those with enough values, but fewer than the next, and always the whole time.
    `readings` must be sorted, the oldest first."""
    if not readings:
        return ()
    found: list[Window] = []
    for span, days in _DAYS.items():
        starts = _back(now, days)
        within = _within(readings, starts, now)
        count = within.stop - within.start
        if _ENOUGH <= count < len(readings) and count not in {window.count for window in found}:
            found.append(Window(span, starts, now, count))
    return (*found, Window(Span.ALL, readings[0].at, readings[-1].at, len(readings)))


def chosen(windows: Sequence[Window], wanted: str) -> Window | None:
    """The window with the wanted span, else the shortest; None if there are no windows."""
    return next((window for window in windows if window.span == wanted), windows[0] if windows else None)


def _within(readings: Sequence[Reading], starts: datetime, ends: datetime) -> slice:
    first = bisect_left(readings, starts, key=_AT)
    return slice(first, bisect_right(readings, ends, lo=first, key=_AT))


def _back(now: datetime, days: int) -> datetime:
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)
