"""Values over time: marks, the lines between them, and the range behind (patient experience 4.2)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from apps.records.charts import axes, stretches
from apps.records.charts.axes import Horizontal, Tick, TimeTick, Vertical, is_drawable
from apps.records.charts.marks import Shape, is_outside, shape_of
from apps.records.charts.readings import Reading
from apps.records.charts.series import Series, WordedValue
from apps.records.charts.windows import Window

_LONG = timedelta(days=548)
_UNUSUAL = 3  # times the usual time between values
_LEAST_GUTTER = 12.0
_PER_LETTER = 3.0
_MOST_WORDED = 40
_MOST_RANGES = 2
_MOST_CHANGES = 6  # from one range to another; with more, bands look like a comb
_Bounds = tuple[Decimal | None, Decimal | None]


class Mark(msgspec.Struct, frozen=True, gc=False):
    """One value. Provider 0 is drawn solid, 1 hollow and in the second color; `is_early` gives a dashed outline."""

    x: float
    y: float
    shape: Shape
    provider: int = 0
    is_early: bool = False
    is_last: bool = False


class Line(msgspec.Struct, frozen=True, gc=False):
    """A line from one value to the next; dotted if there is an unusually long time between them."""

    x1: float
    y1: float
    x2: float
    y2: float
    is_dotted: bool = False
    provider: int = 0


@dataclass(frozen=True)
class Band:
    """The usual range, from `x` to the right. Only a bound has an edge; an open side extends to the end of the plot."""

    x: float
    y: float
    width: float
    height: float
    has_top: bool = True
    has_bottom: bool = True

    @property
    def right(self) -> float:
        """The right end, from the left."""
        return round(self.x + self.width, 2)

    @property
    def bottom(self) -> float:
        """The lower end, from the top."""
        return round(self.y + self.height, 2)


class Stroke(msgspec.Struct, frozen=True, gc=False):
    """A stroke from the highest to the lowest value of a stretch or, with `has_ends`, between the two numbers of a
    blood pressure. `is_modified`: one of these values has a modifier or a doubt."""

    x: float
    y1: float
    y2: float
    has_ends: bool = False
    provider: int = 0
    is_early: bool = False
    is_modified: bool = False


@dataclass(frozen=True)
class WordTick:
    """A value in words, on the strip under the plot. The words themselves are in the table."""

    x: float


class Key(NamedTuple):
    """A row of the legend: a provider, with one of the shapes drawn for it (None if there are only bars of blood
    pressures). `provider` is empty if several providers look the same; `number` is a mark's `provider`."""

    provider: str
    shape: Shape | None
    number: int


@dataclass(frozen=True)
class OverTime:
    """The drawing. `gutter` is the room for the numbers at the left, in percent of the whole width. `providers` are the
    names of those with something drawn: the first is solid, all others are hollow.

    `each` is the stretch of time that one mark stands for; empty if it stands for one value. `ranges_differ`: no bands
    are drawn, because there are more than two ranges, or they change too often. `left_out` is the number of values that
    are too large to draw; they are in the table.
    """

    marks: tuple[Mark, ...] = ()
    lines: tuple[Line, ...] = ()
    bands: tuple[Band, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    ticks: tuple[Tick, ...] = ()
    times: tuple[TimeTick, ...] = ()
    words: tuple[WordTick, ...] = ()
    gutter: float = _LEAST_GUTTER
    unit: str = ""
    providers: tuple[str, ...] = ()
    each: str = ""
    ranges_differ: bool = False
    left_out: int = 0

    @cached_property
    def shapes(self) -> tuple[str, ...]:
        """The shapes that the legend must explain; none if no value could be compared with a range."""
        drawn = {mark.shape for mark in self.marks}
        drawn |= {Shape.DOUBTED for stroke in self.strokes if stroke.is_modified}
        if drawn == {Shape.UNPLACED}:
            return ()
        return tuple(shape for shape in Shape if shape in drawn)

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """The rows of the legend that distinguish providers."""
        first, *others = self.providers or ("",)
        named = [first, others[0] if len(others) == 1 else ""][: 1 + len(others)]
        return tuple(Key(name, self._shape_of(number), number) for number, name in enumerate(named))

    def _shape_of(self, provider: int) -> Shape | None:
        drawn = {mark.shape for mark in self.marks if mark.provider == provider}
        return next((shape for shape in Shape if shape in drawn), None)

    @property
    def width(self) -> float:
        """The width that the numbers at the left leave for the plot."""
        return round(97 - self.gutter, 2)


def draw(series: Series, window: Window) -> OverTime | None:
    """The drawing of the values in the window; None if none of them can be drawn."""
    held = window.within(series.readings)
    drawn = [each for each in held if is_drawable(each.value) and (not each.lower or is_drawable(each.lower))]
    if not drawn:
        return None
    drawn, providers = _numbered(drawn, series.providers)
    bounds = _bounds(drawn)
    sides = [side for side in dict.fromkeys(bounds) if side != (None, None)]
    changes = sum(before != after for before, after in pairwise(bounds))
    banded = sides if len(sides) <= _MOST_RANGES and changes <= _MOST_CHANGES else []
    across = _vertical(drawn, banded)
    along = axes.horizontal(window.starts, window.ends)
    each, parts = stretches.divided(drawn)
    plotted = _stretched(parts, along, across) if each else _singly(drawn, along, across)
    marks, lines, strokes = plotted
    return OverTime(
        marks=_with_last(marks),
        lines=lines,
        bands=tuple(_bands(drawn, bounds, along, across)) if banded else (),
        strokes=strokes,
        ticks=across.ticks,
        times=along.ticks,
        words=_words(series.worded, window, along),
        gutter=max(_LEAST_GUTTER, 4 + _PER_LETTER * max(len(tick.label) for tick in across.ticks)),
        unit=series.unit,
        providers=providers,
        each=each or "",
        ranges_differ=bool(sides) and not banded,
        left_out=len(held) - len(drawn),
    )


def _numbered(readings: Sequence[Reading], providers: Sequence[str]) -> tuple[list[Reading], tuple[str, ...]]:
    """The readings with their providers renumbered, and the providers' names, without those that have no readings."""
    found = sorted({reading.provider for reading in readings})
    numbers = {provider: number for number, provider in enumerate(found)}
    names = tuple(name for provider in found for name in providers[provider : provider + 1])
    if all(provider == number for provider, number in numbers.items()):  # nearly always
        return list(readings), names
    return [replace(reading, provider=numbers[reading.provider]) for reading in readings], names


def _bounds(readings: Iterable[Reading]) -> list[_Bounds]:
    """The bounds of each reading's range that can be drawn; many readings share a range."""
    known: dict[tuple[int, int], _Bounds] = {}
    found: list[_Bounds] = []
    for reading in readings:
        low, high = reading.low, reading.high
        bounds = known.get((id(low), id(high)))
        if bounds is None:
            bounds = (low if is_drawable(low) else None), (high if is_drawable(high) else None)
            known[id(low), id(high)] = bounds
        found.append(bounds)
    return found


def _vertical(readings: Sequence[Reading], sides: Sequence[_Bounds]) -> Vertical:
    values = [number for each in readings for number in (each.value, each.lower) if number is not None]
    bounds = [bound for side in sides for bound in side if bound is not None]
    widest = max((high - low for low, high in sides if low is not None and high is not None), default=Decimal(0))
    return axes.vertical(values, bounds, abs(widest))


_Plotted = tuple[tuple[Mark, ...], tuple[Line, ...], tuple[Stroke, ...]]


def _singly(readings: Sequence[Reading], along: Horizontal, across: Vertical) -> _Plotted:
    pressures = [reading for reading in readings if reading.lower is not None]
    others = [reading for reading in readings if reading.lower is None]
    marks = tuple(_mark(reading, along, across) for reading in others)
    return marks, tuple(_lines(others, along, across)), tuple(_pressure(each, along, across) for each in pressures)


def _mark(reading: Reading, along: Horizontal, across: Vertical) -> Mark:
    shape = shape_of(reading.place, reading.comparator, is_modified=reading.is_modified)
    return Mark(along.x(reading.at), across.y(reading.value), shape, min(reading.provider, 1), reading.is_early)


def _pressure(reading: Reading, along: Horizontal, across: Vertical) -> Stroke:
    lower = reading.value if reading.lower is None else reading.lower
    ends = across.y(reading.value), across.y(lower)
    provider = min(reading.provider, 1)
    how = {"is_early": reading.is_early, "is_modified": reading.is_modified}
    return Stroke(along.x(reading.at), *ends, has_ends=True, provider=provider, **how)


def _lines(readings: Sequence[Reading], along: Horizontal, across: Vertical) -> Iterator[Line]:
    """The lines between neighboring values of one provider, but not to or from a value that is only known to be less or
    more, or that may mean something else."""
    for provider in dict.fromkeys(reading.provider for reading in readings):
        own = [reading for reading in readings if reading.provider == provider]
        placed = [(along.x(reading.at), across.y(reading.value)) for reading in own]
        gaps = [(after.at - before.at).total_seconds() for before, after in pairwise(own)]
        usual = timedelta(seconds=median(gaps)) if len(gaps) > 1 else _LONG
        longest = min(_LONG, _UNUSUAL * max(usual, timedelta(days=1)))
        for (before, after), (start, end) in zip(pairwise(own), pairwise(placed), strict=True):
            if before.comparator or after.comparator or before.is_modified or after.is_modified:
                continue
            yield Line(*start, *end, is_dotted=after.at - before.at > longest, provider=min(provider, 1))


def _stretched(parts: Sequence[stretches.Stretch], along: Horizontal, across: Vertical) -> _Plotted:
    """For each stretch, a stroke from the lowest to the highest value, and marks for the last value and for those
    outside of the range."""
    marks: list[Mark] = []
    strokes: list[Stroke] = []
    for part in parts:
        lowest, highest, last = part.lowest, part.highest, part.last
        if last is not None and lowest is not None and highest is not None:
            x = along.x(last.at)
            is_modified = part.modified is not None and last.lower is not None
            strokes.append(_stroke(x, lowest, highest, across, is_modified=is_modified))
            if last.lower is None:
                others = {id(each): each for each in (lowest, highest, part.modified) if each and each is not last}
                marks += [_at(x, each, across) for each in others.values() if _is_outside(each)]
                marks.append(_at(x, last, across, is_early=last.is_early))
        marks += [_mark(each, along, across) for each in (part.less, part.more) if each is not None]
    return tuple(marks), (), tuple(strokes)


def _stroke(x: float, lowest: Reading, highest: Reading, across: Vertical, *, is_modified: bool) -> Stroke:
    lower = lowest.value if lowest.lower is None else lowest.lower
    ends = across.y(highest.value), across.y(lower)
    has_ends, provider = lowest.lower is not None, min(highest.provider, 1)
    return Stroke(x, *ends, has_ends=has_ends, provider=provider, is_modified=is_modified)


def _at(x: float, reading: Reading, across: Vertical, *, is_early: bool = False) -> Mark:
    """The mark of a reading, on the stroke of its stretch, whenever in the stretch it was measured."""
    shape = shape_of(reading.place, is_modified=reading.is_modified)
    return Mark(x, across.y(reading.value), shape, min(reading.provider, 1), is_early)


def _is_outside(reading: Reading) -> bool:
    return is_outside(shape_of(reading.place, is_modified=reading.is_modified))


def _with_last(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks, of which the newest gets a ring and is drawn last, on top."""
    if not marks:
        return ()
    newest = max(reversed(range(len(marks))), key=lambda place: marks[place].x)  # the last, if several are newest
    return (*marks[:newest], *marks[newest + 1 :], replace(marks[newest], is_last=True))


def _bands(
    readings: Sequence[Reading], bounds: Sequence[_Bounds], along: Horizontal, across: Vertical
) -> Iterator[Band]:
    """One band for each run of values with the same range. It begins and ends midway to the neighboring values."""
    starts, current = 0.0, bounds[0]
    for (before, after), wanted in zip(pairwise(readings), bounds[1:], strict=True):
        if wanted != current:
            ends = round((along.x(before.at) + along.x(after.at)) / 2, 2)
            yield from _band(starts, ends, current, across)
            starts, current = ends, wanted
    yield from _band(starts, 100.0, current, across)


def _band(starts: float, ends: float, bounds: _Bounds, across: Vertical) -> Iterator[Band]:
    low, high = bounds
    if (low is None and high is None) or ends <= starts:
        return
    top = 0.0 if high is None else across.y(high)
    bottom = 100.0 if low is None else across.y(low)
    yield Band(
        starts, top, round(ends - starts, 2), round(max(0.0, bottom - top), 2),
        has_top=high is not None, has_bottom=low is not None,
    )  # fmt: skip


def _words(worded: Sequence[WordedValue], window: Window, along: Horizontal) -> tuple[WordTick, ...]:
    places = dict.fromkeys(along.x(each.at) for each in worded if window.holds(each.at))
    return tuple(map(WordTick, places))[-_MOST_WORDED:]
