"""Reference ranges as sent, and where a value lies in relation to one (patient experience 3.3 and 4.1).

Observation.referenceRange: `meaning` and `age` in DSTU2, `type`, `appliesTo` and `age` in R4; low, high and text in
both. A range sent as text is read as numbers if it can mean only one thing ("4.0 - 5.6 %", "< 5.7", "up to 10").
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from functools import cached_property

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.datatypes import lengths, quantities, units
from apps.records.presenters.datatypes.lengths import NO_LENGTH, Length
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element
from apps.records.presenters.memoizing import memoized


class Meaning(StrEnum):
    """What kind of range it is. Both FHIR versions have the same codes, in different code systems."""

    USUAL = "usual"  # called normal, or called nothing
    RECOMMENDED = "recommended"
    TREATMENT = "treatment"
    OTHER = "other"  # in the lab's words


_MEANINGS = {
    "normal": Meaning.USUAL,
    "n": Meaning.USUAL,
    "17621005": Meaning.USUAL,  # SNOMED CT: normal
    "recommended": Meaning.RECOMMENDED,
    "treatment": Meaning.TREATMENT,
    "therapeutic": Meaning.TREATMENT,
}


class ReferenceRange(msgspec.Struct, frozen=True, dict=True):  # `dict` holds the cached property
    """One range. A bound without a value is open. `includes_*`: whether the bound itself is within the range.

    `text` and `words` (what the lab calls the range) are as sent. `applies_to` names the people for whom the range is
    meant. `ages` are the ages for which it is meant, as sent; `age_from` and `age_to` are the same in years.
    """

    low: Quantity = NO_QUANTITY
    high: Quantity = NO_QUANTITY
    includes_low: bool = True
    includes_high: bool = True
    text: str = ""
    meaning: str = Meaning.USUAL
    words: str = ""
    applies_to: tuple[str, ...] = ()
    ages: Length = NO_LENGTH
    age_from: float | None = None
    age_to: float | None = None

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self.low or self.high or self.text)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether a value can be compared with the range: it has one bound, or two whose units agree and of which the
        low one is not above the high one."""
        low, high = self.low.number, self.high.number
        if low is None or high is None:
            return low is not None or high is not None
        return low <= high and _fit(self.low, self.high)

    @property
    def unit_key(self) -> str:
        """The unit of the bounds; empty if none was sent, and then the value's unit is meant."""
        return self.low.unit_key or self.high.unit_key


def read(element: Element) -> tuple[ReferenceRange, ...]:
    """The ranges of an Observation or of one of its components, in the order sent, without the empty ones."""
    found = (_one(sent) for sent in elements.children(element, "referenceRange"))
    return tuple(sent for sent in found if sent)


def usual(ranges: Sequence[ReferenceRange], *, age: float | None = None) -> ReferenceRange | None:
    """The one range to compare a value with. None if several could be meant. A target or treatment range does not
    count, nor one for certain people only, nor one for certain ages if the `age` (in years) is not known or is not
    among them."""
    meant = [sent for sent in ranges if sent.meaning == Meaning.USUAL and not sent.applies_to and _is_of_age(sent, age)]
    return meant[0] if meant and all(sent == meant[0] for sent in meant[1:]) else None


@memoized
def _one(element: Element) -> ReferenceRange:
    concept = elements.child(element, "type") or elements.child(element, "meaning")
    words = _words(concept)
    low, high = quantities.read(elements.child(element, "low")), quantities.read(elements.child(element, "high"))
    text = elements.text(element, "text")
    includes_low = includes_high = not low.comparator and not high.comparator
    if not includes_low:  # FHIR allows no comparator in a bound: nobody can say what it would mean
        low = high = Quantity()
    if not low and not high:
        low, high, includes_low, includes_high = of_text(text)
    ages = elements.child(element, "age")
    return ReferenceRange(
        low=low,
        high=high,
        includes_low=includes_low,
        includes_high=includes_high,
        text=text,
        meaning=_meaning(concept, words),
        words=words,
        applies_to=tuple(filter(None, (elements.words(part) for part in elements.children(element, "appliesTo")))),
        ages=lengths.read(ages),
        age_from=_years(elements.child(ages, "low")),
        age_to=_years(elements.child(ages, "high")),
    )


def _meaning(concept: Element, words: str) -> Meaning:
    codes = elements.codes(concept)
    known = [_MEANINGS[code.lower()] for code in codes if code.lower() in _MEANINGS]
    if known:
        return known[0]
    return Meaning.OTHER if codes or words else Meaning.USUAL


def _words(concept: Element) -> str:
    displays = (elements.text(coding, "display") for coding in elements.children(concept, "coding"))
    return elements.text(concept, "text") or next(filter(None, displays), "") or _spoken(elements.codes(concept))


def _spoken(codes: Sequence[str]) -> str:
    """The first code that is itself a word (`luteal`), for a range that nothing else names."""
    return next((code for code in codes if code.lower() not in _MEANINGS and _WORD.fullmatch(code)), "")


_WORD = re.compile(r"[a-zA-Z]+(?:-[a-zA-Z]+)*")
_NUMBER = r"[-+\u2212]?[0-9]{1,12}(?:\.[0-9]{1,9})?"  # a hyphen or a minus sign
_UNIT = (
    r"(?P<unit>\s*(?:x?\s?10[*^][0-9]{1,2}/[a-zA-Zµ]+|[^\s0-9().,;:<>≤≥=-][^\s();,:<>≤≥=]{0,24}(?:\s?1\.73\s?m[2²])?))?"
)
_BETWEEN = re.compile(rf"\(?(?P<low>{_NUMBER})\s*(?:[-\u2013\u2014]|to)\s*(?P<high>{_NUMBER})\)?{_UNIT}", re.IGNORECASE)
_SIDE = re.compile(
    r"(?P<sign><=|=<|≤|<|>=|=>|≥|>|up to|less than|below|under|more than|greater than|above|over|at least|at most)"
    rf"\s*(?:or equal to\s*)?(?P<bound>{_NUMBER}){_UNIT}",
    re.IGNORECASE,
)
_HIGHEST = {"<=": True, "=<": True, "≤": True, "up to": True, "at most": True}
_HIGHEST |= {"<": False, "less than": False, "below": False, "under": False}
_LOWEST = {">=": True, "=>": True, "≥": True, "at least": True}
_LOWEST |= {">": False, "more than": False, "greater than": False, "above": False, "over": False}


def of_text(text: str) -> tuple[Quantity, Quantity, bool, bool]:
    """The bounds that a text states, and whether each is within the range. No bounds if the text can mean more than one
    thing: a decimal comma, two ranges, a titer, words before or after."""
    nothing = Quantity(), Quantity(), True, True
    if found := _BETWEEN.fullmatch(text):
        low, high = (_bound(found[name], found["unit"]) for name in ("low", "high"))
        return (low, high, True, True) if Decimal(low.value) <= Decimal(high.value) else nothing
    found = _SIDE.fullmatch(text)
    if found is None:
        return nothing
    sign, bound = found["sign"].lower(), _bound(found["bound"], found["unit"])
    or_equal = "or equal to" in text.lower()
    if sign in _HIGHEST:
        return Quantity(), bound, True, _HIGHEST[sign] or or_equal
    return bound, Quantity(), _LOWEST[sign] or or_equal, True


def _bound(digits: str, unit: str | None) -> Quantity:
    return Quantity(value=digits.replace("\N{MINUS SIGN}", "-").lstrip("+"), unit=(unit or "").strip())


class Side(StrEnum):
    """Where a value lies in relation to a range."""

    WITHIN = "within"
    ABOVE = "above"
    BELOW = "below"
    TOO_LOW = "too-low"  # less than what the test can measure, and the range begins below that
    TOO_HIGH = "too-high"


def compare(quantity: Quantity, wanted: ReferenceRange) -> Side | None:
    """Where the value lies, or None if there are no numbers to compare, or if their units differ.

    A bound without a unit is taken to be in the value's unit. `< 5` is within "up to 10", below "10 to 20", and too low
    to compare with "3 to 10" (patient experience 4.2).
    """
    value = quantity.number
    if value is None or not wanted.is_numeric or not _fits(quantity, wanted):
        return None
    if quantity.comparator:
        return _certain(value, quantity.comparator, wanted)
    if _is_beyond(value, wanted.high.number, within=wanted.includes_high):
        return Side.ABOVE
    return Side.BELOW if _is_short_of(value, wanted.low.number, within=wanted.includes_low) else Side.WITHIN


def _certain(value: Decimal, comparator: str, wanted: ReferenceRange) -> Side:
    low, high = wanted.low.number, wanted.high.number
    is_itself = comparator in {"<=", ">="}
    if comparator in {"<", "<="}:
        if low is not None and (value < low or (value == low and not (is_itself and wanted.includes_low))):
            return Side.BELOW
        is_within = high is not None and (value < high or (value == high and (wanted.includes_high or not is_itself)))
        return Side.WITHIN if low is None and is_within else Side.TOO_LOW
    if high is not None and (value > high or (value == high and not (is_itself and wanted.includes_high))):
        return Side.ABOVE
    is_within = low is not None and (value > low or (value == low and (wanted.includes_low or not is_itself)))
    return Side.WITHIN if high is None and is_within else Side.TOO_HIGH


def _is_beyond(value: Decimal, bound: Decimal | None, *, within: bool) -> bool:
    return bound is not None and (value > bound or (value == bound and not within))


def _is_short_of(value: Decimal, bound: Decimal | None, *, within: bool) -> bool:
    return bound is not None and (value < bound or (value == bound and not within))


def _fits(quantity: Quantity, wanted: ReferenceRange) -> bool:
    bounds = (bound for bound in (wanted.low, wanted.high) if bound and bound.unit_key)
    return all(bound.unit_key == quantity.unit_key for bound in bounds)


def _fit(one: Quantity, other: Quantity) -> bool:
    """Whether both are in the same unit, or at least one has no unit."""
    return not one.unit_key or not other.unit_key or one.unit_key == other.unit_key


def _years(element: Element) -> float | None:
    quantity = quantities.read(element)
    factor = _YEARS.get(units.key(quantity.unit, quantity.code).casefold())
    return None if quantity.number is None or factor is None else round(float(quantity.number) * factor, 3)


_YEARS = {"": 1.0, "a": 1.0, "y": 1.0, "yr": 1.0, "yrs": 1.0, "year": 1.0, "years": 1.0}
_YEARS |= {"mo": 1 / 12, "month": 1 / 12, "months": 1 / 12, "wk": 7 / 365.25, "week": 7 / 365.25, "weeks": 7 / 365.25}
_YEARS |= {"d": 1 / 365.25, "day": 1 / 365.25, "days": 1 / 365.25}


def _is_of_age(sent: ReferenceRange, age: float | None) -> bool:
    if sent.age_from is None and sent.age_to is None:
        return True
    if age is None:
        return False
    return (sent.age_from is None or age >= sent.age_from) and (sent.age_to is None or age <= sent.age_to)
