"""One value on a line with its range (patient experience 4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from msgspec.structs import replace

from apps.records.charts.axes import is_drawable, share
from apps.records.charts.marks import Shape, shape_of
from apps.records.presenters.datatypes import ranges
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.datatypes.ranges import Meaning, ReferenceRange
from apps.records.presenters.observations.interpretations import Place

_DIGITS = 60
_WIDENED = Decimal("0.6")
_FARTHEST = 3  # widths of the range; the line to a value farther away is broken
_BROKEN_AT = 88.0
_AT_THE_END = 95.0
_NARROW = 34.0
_LONGEST_LABEL = 24  # characters that fit above the line on a phone


@dataclass(frozen=True)
class LineTick:
    """A bound on the line, with its number. `words` are the laboratory's name for a range other than the usual one."""

    x: float
    label: str
    words: str = ""
    anchor: str = "middle"


@dataclass(frozen=True)
class NumberLine:
    """The mark, the shaded range, and the ticks at its bounds. `broken_at` is where the line is broken, because the
    value is more than three widths of the range away; None if it is not broken."""

    x: float
    shape: Shape
    label: str
    band_x: float
    band_width: float
    ticks: tuple[LineTick, ...] = ()
    named: tuple[LineTick, ...] = ()
    broken_at: float | None = None
    anchor: str = "middle"


def draw(
    quantity: Quantity, wanted: ReferenceRange | None, place: str, named: Sequence[ReferenceRange] = ()
) -> NumberLine | None:
    """The line of a value and the range with which it is compared. Of the `named` ranges, those with words get ticks.

    None if a line would mislead: if there is no number, or no numeric range in the value's unit, or if the value is
    only known to be less or more than a number, so that it may be on either side of a bound.
    """
    value = quantity.number
    if value is None or wanted is None or ranges.compare(quantity, wanted) is None:
        return None
    if place in {Place.TOO_LOW, Place.TOO_HIGH} and quantity.comparator:
        return None
    bounds = [bound for bound in (wanted.low.number, wanted.high.number) if bound is not None]
    if not all(map(is_drawable, (value, *bounds))):
        return None
    with localcontext(prec=_DIGITS):
        return _drawn(quantity, value, wanted, place, named)


def _drawn(
    quantity: Quantity, value: Decimal, wanted: ReferenceRange, place: str, named: Sequence[ReferenceRange]
) -> NumberLine:
    low, high, width = _extent(wanted, value)
    is_far = value > high + _FARTHEST * width or value < low - _FARTHEST * width
    left, right = low - _WIDENED * width, high + _WIDENED * width
    if wanted.low.number is None and low >= 0 <= value:
        left = low  # a line without negative values begins at zero
    if not is_far:
        left, right = min(left, value - width / 4), max(right, value + width / 4)
    x, broken_at = _place(value, left, right, is_far=is_far)
    band = [0.0 if wanted.low.number is None else _on(low, left, right, broken_at)]
    band += [100.0 if wanted.high.number is None else _on(high, left, right, broken_at)]
    return NumberLine(
        x=x,
        shape=shape_of(place or _own(quantity, wanted), quantity.comparator),
        label=_label(quantity),
        band_x=band[0],
        band_width=round(band[1] - band[0], 2),
        ticks=_ticks(wanted, band),
        named=tuple(_named(named, wanted, left, right, broken_at)),
        broken_at=broken_at,
        anchor="start" if x < 20 else "end" if x > 80 else "middle",
    )


def _label(quantity: Quantity) -> str:
    """The value with its unit, if that fits: the sentence beside the line has it anyway."""
    return quantity.shown if len(quantity.shown) <= _LONGEST_LABEL else replace(quantity, unit="", code="").shown


def _own(quantity: Quantity, wanted: ReferenceRange) -> str:
    """The place of the value in the drawn range, for a mark that has no place (a goal is not judged)."""
    side = ranges.compare(quantity, wanted)
    return Place(side) if side in {"within", "above", "below"} else ""


def _extent(wanted: ReferenceRange, value: Decimal) -> tuple[Decimal, Decimal, Decimal]:
    """The bounds and the width of the range. If one side is open, the width is the other bound's distance from zero."""
    low, high = wanted.low.number, wanted.high.number
    if low is not None and high is not None:
        return low, high, (high - low) or max(abs(value - low), abs(low) / 5) or Decimal(1)
    bound = low if low is not None else high or Decimal(0)
    width = abs(bound) or abs(value) or Decimal(1)
    if high is None:
        return bound, bound + width, width
    return bound - width, bound, width


def _place(value: Decimal, left: Decimal, right: Decimal, *, is_far: bool) -> tuple[float, float | None]:
    if not is_far:
        return share(value, left, right), None
    return (_AT_THE_END, _BROKEN_AT) if value > right else (100 - _AT_THE_END, 100 - _BROKEN_AT)


def _on(bound: Decimal, left: Decimal, right: Decimal, broken_at: float | None) -> float:
    """The position of a bound: on the whole line, or on its part before or after the break."""
    part = share(bound, left, right)
    if broken_at is None:
        return part
    before = min(broken_at, 100 - broken_at)
    return round(part * (100 - before) / 100 + (before if broken_at < 50 else 0), 2)


def _ticks(wanted: ReferenceRange, band: Sequence[float]) -> tuple[LineTick, ...]:
    is_narrow = band[1] - band[0] < _NARROW
    sides = ((wanted.low, band[0], "end"), (wanted.high, band[1], "start"))
    return tuple(
        LineTick(x, bound.value, anchor=outward if is_narrow and wanted.low and wanted.high else "middle")
        for bound, x, outward in sides
        if bound
    )


def _named(
    others: Sequence[ReferenceRange], wanted: ReferenceRange, left: Decimal, right: Decimal, broken_at: float | None
) -> list[LineTick]:
    """The bounds of the laboratory's other named ranges, as far as they are on the line."""
    found: list[LineTick] = []
    for other in others:
        words = other.words or (other.meaning if other.meaning not in {Meaning.USUAL, Meaning.OTHER} else "")
        if other == wanted or not words or other.unit_key not in {"", wanted.unit_key}:
            continue
        found += [
            LineTick(_on(bound.number, left, right, broken_at), bound.value, words)
            for bound in (other.low, other.high)
            if bound.number is not None and left <= bound.number <= right
        ]
    return found[:4]
