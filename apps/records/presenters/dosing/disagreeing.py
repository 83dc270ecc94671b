"""Whether the text of a dosage and its coded parts plainly disagree: 10 mg and 100 mg, once a week and once a day.

A page then shows both and refers the reader to the provider; we never decide which is right. A text with another kind
of amount (1 tablet, beside 500 mg) cannot disagree with the dose. If it has amounts of the same kind, one of them must
equal the dose after conversion; otherwise the two disagree. We prefer a false alarm to silence, and never stay silent
about a tenfold difference.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.dosing import amounts_in_text, frequencies
from apps.records.presenters.dosing.amounts_in_text import PIECES, Amount, Role
from apps.records.presenters.dosing.frequencies import Often
from apps.records.presenters.dosing.timings import Timing

_MOST_PIECES = 10  # a larger number without a unit more likely means milligrams
_TENFOLD = 10
_Between = tuple[Decimal, Decimal]


def differ(text: str, low: Quantity, high: Quantity, timing: Timing) -> bool:
    """Whether the text states an amount other than the dose (from `low` to `high`), or another frequency."""
    if not text:
        return False
    said = amounts_in_text.plain(text)
    return _dose_differs(said, low, high, timing) or _frequency_differs(said, timing)


def _dose_differs(said: str, low: Quantity, high: Quantity, timing: Timing) -> bool:
    ends = [end for end in (low, high) if end.number is not None]
    if not ends:
        return False
    amounts = amounts_in_text.found_in(said)
    return any(_end_differs(end, low.unit or high.unit, amounts, said, timing) for end in ends)


def _end_differs(end: Quantity, other_unit: str, amounts: Sequence[Amount], said: str, timing: Timing) -> bool:
    unit = end.unit or other_unit
    dimension, factor = amounts_in_text.unit_of(unit)
    number = (end.number or Decimal(0)) * factor
    kinds = _kinds(dimension, number, amounts)
    most = [each.high for each in amounts if each.role is Role.MOST and each.dimension in kinds]
    if any(number > each for each in most) and end.comparator not in {"<", "<="}:
        return True
    groups = list(_meanings(amounts, kinds, said, timing))
    if not groups:
        return False
    is_near = any(not _is_tenfold(number, each) for each in groups[0])
    return not is_near or not any(_agrees(number, end.comparator, each) for group in groups for each in group)


def _kinds(dimension: str, number: Decimal, amounts: Sequence[Amount]) -> frozenset[str]:
    """The dimensions that an amount in the text must have to be comparable with the dose. A dose without a unit counts
    pieces, or, if the number is too large for that, compares with every amount."""
    if dimension not in _COUNTING:
        return frozenset({dimension})
    return PIECES if number <= _MOST_PIECES else frozenset(each.dimension for each in amounts)


def _meanings(
    amounts: Sequence[Amount], kinds: frozenset[str], said: str, timing: Timing
) -> Iterator[tuple[_Between, ...]]:
    """The doses that each amount in the text can mean, those stated as a dose first. If there is more than one dose a
    day, a daily total counts only if the text states no dose."""
    comparable = [each for each in amounts if each.dimension in kinds and each.role is not Role.MOST]
    doses = [each for each in comparable if each.role is not Role.A_DAY]
    often = _times_a_day(timing)
    yield from filter(None, (_doses(each, amounts, said) for each in doses))
    if not doses or often is None or often <= 1:
        yield from (_divided(each, often) for each in comparable if each.role is Role.A_DAY)


def _doses(each: Amount, amounts: Sequence[Amount], said: str) -> tuple[_Between, ...]:
    itself = (each.low, each.high)
    if each.per is not None:
        base, dimension = each.per
        of = next((other for other in amounts if other.dimension == dimension and other.per is None), None)
        return (_times(itself, (of.low / base, of.high / base)),) if of and base else ()
    if each.times != 1:
        product = _times(itself, (each.times, each.times))
        return (itself, product) if each.is_times_doubtful else (product,)
    if each.dimension in PIECES or each.role is Role.WHOLE:
        return (itself,)
    counted = [other for other in amounts if other.dimension in PIECES and other.role is not Role.MOST]
    if each.role is Role.STRENGTH:
        return (_times(itself, (counted[0].low, counted[0].high)),) if counted else (itself,)
    return (itself, *(_times(itself, (other.low, other.high)) for other in counted if _is_beside(each, other, said)))


def _divided(each: Amount, often: Fraction | None) -> tuple[_Between, ...]:
    if often is None or often <= 1:
        return ((each.low, each.high),)
    times = Decimal(often.numerator) / Decimal(often.denominator)
    return ((each.low / times, each.high / times),)


def _is_beside(one: Amount, other: Amount, said: str) -> bool:
    first, second = sorted((one, other), key=lambda amount: amount.start)
    return _BESIDE.fullmatch(said[first.end : second.start]) is not None


def _times(between: _Between, factor: _Between) -> _Between:
    return between[0] * factor[0], between[1] * factor[1]


def _agrees(number: Decimal, comparator: str, said: _Between) -> bool:
    if comparator in {"<", "<="}:  # 1 tablet agrees with "up to 2 tablets"
        return said[0] <= number and not _is_tenfold(number, said)
    if comparator in {">", ">="}:
        return said[1] >= number and not _is_tenfold(number, said)
    return said[0] <= number <= said[1]


def _is_tenfold(number: Decimal, said: _Between) -> bool:
    return number * _TENFOLD <= said[0] or (said[1] > 0 and number >= said[1] * _TENFOLD)


def _frequency_differs(said: str, timing: Timing) -> bool:
    """Whether the text states exactly one frequency, and the parts another one that is not a range."""
    often = _times_a_day(timing)
    if often is None:
        return False
    told = {frequencies.a_day(each) for each in frequencies.named_in(said)}
    return len(told) == 1 and often not in told


def _times_a_day(timing: Timing) -> Fraction | None:
    if (
        timing.span is None
        or timing.span not in frequencies.DAYS
        or timing.frequency_to
        or timing.period_to
        or not timing.period
    ):
        return None
    return frequencies.a_day(Often(timing.frequency or "1", timing.period, timing.span))


_COUNTING: Final = frozenset({"", "1", "ea", "each", "dose", "unit dose"})
_BESIDE = re.compile(r"[^.,;0-9]{0,40}|,? take ")
