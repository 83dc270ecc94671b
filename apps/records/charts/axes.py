"""The two axes of a chart: one with round numbers, the other with dates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from functools import cached_property
from statistics import median

LARGEST = Decimal("1e21")  # larger values are only in the table, not drawn
_DIGITS = 60
_EXACTLY = Context(prec=_DIGITS)
_HALF = Decimal("0.5")
_MARGIN = 4.0  # percent left free at each end, so that no mark is cut off
_STEPS = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))
_MOST_INTERVALS = 4
_LONGEST_LABEL = 7
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Tick:
    """A line across the plot, and the number beside it."""

    y: float
    label: str


@dataclass(frozen=True)
class TimeTick:
    """A date under the plot, with the precision to show: 2019, 2019-03 or 2019-03-04. `anchor` is the text's."""

    x: float
    date: str
    anchor: str = "middle"


@dataclass(frozen=True)
class Vertical:
    """The axis of values. Its ends are the outermost ticks."""

    lowest: Decimal
    highest: Decimal
    ticks: tuple[Tick, ...]
    _known: dict[Decimal, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def y(self, value: Decimal) -> float:
        """The distance from the top, in percent; never outside the plot."""
        found = self._known.get(value)  # five hundred values of a test are only a few dozen different numbers
        if found is None:
            found = self._known[value] = round(100 - share(value, self.lowest, self.highest), 2)
        return found


@dataclass(frozen=True)
class Horizontal:
    """The axis of time, to scale, with the oldest on the left."""

    starts: datetime
    ends: datetime
    ticks: tuple[TimeTick, ...]

    def x(self, at: datetime) -> float:
        """The distance from the left, in percent."""
        return _placed(at, self.starts, self._way)

    @cached_property
    def _way(self) -> timedelta:
        return self.ends - self.starts


def is_drawable(value: Decimal | None) -> bool:
    """Whether a value is a number that is not too large for a chart."""
    return value is not None and value.is_finite() and abs(value) <= LARGEST


def share(value: Decimal, lowest: Decimal, highest: Decimal) -> float:
    """The position of a value between the lowest and the highest, in percent from 0 to 100."""
    way = _EXACTLY.subtract(highest, lowest)
    part = _EXACTLY.divide(_EXACTLY.subtract(value, lowest), way) if way else _HALF
    return round(min(100.0, max(0.0, float(_EXACTLY.multiply(part, 100)))), 2)


def vertical(values: Sequence[Decimal], bounds: Sequence[Decimal], widest: Decimal) -> Vertical:
    """An axis with three to five round ticks that includes every value and bound (at least one, all drawable).

    So that small changes do not look dramatic, it spans at least one and a half times the width of the range
    (`widest`) or, without a range, a fifth of the median. It need not start at zero.
    """
    with localcontext(prec=_DIGITS):
        ordered = sorted(values)
        held = (*ordered[:1], *ordered[-1:], *bounds)
        low, high = min(held), max(held)
        middle = abs(Decimal(median(ordered))) if ordered else abs(high)
        least = max(widest * Decimal("1.5") or middle / 5, max(abs(low), abs(high)) * Decimal("1e-9")) or Decimal(1)
        lacking = least - (high - low)
        if lacking > 0:
            low, high = _widened(low, high, lacking / 2)
        step, first, last = _stepped(low, high)
        count = int((last - first) / step)
        ticks = tuple(
            Tick(round(100 - 100 * turn / count, 2), label(first + turn * step, step)) for turn in range(count + 1)
        )
        return Vertical(first, last, ticks)


def _widened(low: Decimal, high: Decimal, by: Decimal) -> tuple[Decimal, Decimal]:
    """Widen an axis on both sides, but not below zero if no value is negative."""
    if 0 <= low < by:
        return Decimal(0), high + 2 * by - low
    return low - by, high + by


def _stepped(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal, Decimal]:
    """The smallest round step with at most five ticks, and the ticks at the ends."""
    power = Decimal(10) ** (high - low).adjusted() / 10
    while True:
        for factor in _STEPS:
            step = factor * power
            first = (low / step).to_integral_value(ROUND_FLOOR) * step
            last = (high / step).to_integral_value(ROUND_CEILING) * step
            if (last - first) / step <= _MOST_INTERVALS:
                return step, first, last
        power *= 10


def label(value: Decimal, step: Decimal) -> str:
    """A tick's number with the decimals of its step; never localized. A long number becomes a power of ten."""
    written = f"{value:.{max(0, -step.normalize().as_tuple().exponent)}f}"  # type: ignore[operator]
    if len(written) <= _LONGEST_LABEL:
        return written.removeprefix("-") if not value else written
    number, _, power = f"{value.normalize():.3g}".lower().partition("e")
    if not power:
        number, _, power = f"{value:.2e}".partition("e")
    number = number.rstrip("0").rstrip(".") if "." in number else number
    return f"{number}\N{MULTIPLICATION SIGN}10{str(int(power)).translate(_RAISED)}"


def horizontal(starts: datetime, ends: datetime) -> Horizontal:
    """An axis from one moment to another, with two to four dates below it."""
    if ends <= starts:
        starts, ends = _apart(starts)
    return Horizontal(starts, ends, tuple(_time_ticks(starts, ends)))


def _apart(moment: datetime) -> tuple[datetime, datetime]:
    half = timedelta(hours=12)
    try:
        return moment - half, moment + half
    except OverflowError:  # the first or last day of Python's calendar
        return (moment, moment + half) if moment.year < 5000 else (moment - half, moment)


def _x(at: datetime, starts: datetime, ends: datetime) -> float:
    return _placed(at, starts, ends - starts)


def _placed(at: datetime, starts: datetime, way: timedelta) -> float:
    part = (at - starts) / way if way else 0.5
    return round(_MARGIN + min(1.0, max(0.0, part)) * (100 - 2 * _MARGIN), 2)


_EDGE = 7.0
_YEARLY_FROM = timedelta(days=3 * 365)
_MONTHLY_FROM = timedelta(days=150)
_SIDES = (16.0, 76.0)  # two long month names here do not touch, even on the narrowest screen


def _time_ticks(starts: datetime, ends: datetime) -> Iterator[TimeTick]:
    days: tuple[date, ...] = ()
    if ends - starts >= _YEARLY_FROM:
        found = [(date(year, 1, 1), f"{year:04d}") for year in _years(starts.year, ends.year)]
    elif ends - starts >= _MONTHLY_FROM:
        found = [(first, f"{first:%Y-%m}") for first in _months(starts, ends)]
    else:
        days = tuple(dict.fromkeys((starts.date(), ends.date())))
        found = [(day, day.isoformat()) for day in days]
    for day, written in found:
        x = _x(_midnight(day), starts, ends)
        yield TimeTick(x, written, _anchor(x) if len(days) == 2 else "middle")


def _anchor(x: float) -> str:
    return "start" if x < _EDGE else "end" if x > 100 - _EDGE else "middle"


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _years(first: int, last: int) -> list[int]:
    for step in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        found = [year for year in range(first - first % step, last + 1, step) if year > first]
        if len(found) <= 4:
            return found
    return []


def _months(starts: datetime, ends: datetime) -> list[date]:
    """The first days of two months, far apart, since month names are long."""
    numbers = range(starts.year * 12 + starts.month, ends.year * 12 + ends.month)  # the months after the first
    firsts = [date(number // 12, number % 12 + 1, 1) for number in numbers]
    places = {first: _x(_midnight(first), starts, ends) for first in firsts}
    return (
        list(dict.fromkeys(min(firsts, key=lambda first: abs(places[first] - side)) for side in _SIDES))
        if firsts
        else []
    )
