"""How long something lasts, or how soon it is due: a Duration of either FHIR version, or a Range of two.

A unit of time is spelled out (3 mo becomes 3 months); with any other unit, all stays as sent.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec
from django.utils.translation import gettext, ngettext
from msgspec.structs import replace

from apps.records.presenters import elements
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element


class Span(StrEnum):
    """The unit of a period."""

    SECOND = "s"
    MINUTE = "min"
    HOUR = "h"
    DAY = "d"
    WEEK = "wk"
    MONTH = "mo"
    YEAR = "a"


class Length(msgspec.Struct, frozen=True, gc=False):
    """One length (`low`), or a range from `low` to `high`. If one end of a range is missing, the other has a
    comparator. `said` is a length without a number that we can read, as sent."""

    low: Quantity = NO_QUANTITY
    high: Quantity = NO_QUANTITY
    said: str = ""

    def __bool__(self) -> bool:
        """Whether anything was sent."""
        return bool(self.low or self.high or self.said)

    @property
    def shown(self) -> str:
        """The length as sent: 5 days."""
        return " - ".join(filter(None, (self.low.shown, self.high.shown))) or self.said


NO_LENGTH: Final = Length()


def read(sent: Element) -> Length:
    """Read a Duration, or another Quantity or a Range in its place. A Range is empty if one of its ends can be neither
    read nor quoted."""
    if "low" in sent or "high" in sent:
        if (ends := quantities.ends(sent)) is not None:
            return Length(*ends)
        said = [quantities.as_sent(elements.child(sent, side)) for side in ("low", "high")]
        return Length(said=" - ".join(said)) if all(said) else Length()
    found = quantities.read(sent)
    return Length(found) if found else Length(said=quantities.as_sent(sent))


def span_of(unit: str) -> Span | None:
    """The unit of time that this text means; None if it is not a unit of time."""
    return _SPANS.get(unit.casefold().strip("{}").removesuffix("(s)"))


def in_words(length: Length) -> str:
    """The length in words: 3 months; 5 to 7 days; at least 5 days. Empty if nothing was sent."""
    low, high = length.low, length.high
    if low and high:
        if (spans := {span_of(low.unit or high.unit), span_of(high.unit or low.unit)}) and len(spans) == 1:
            span = spans.pop()
            if span is not None and not low.comparator and not high.comparator:
                known = {"low": plain(low.number), "high": plain(high.number)}
                return counted(gettext("%(low)s to %(high)s") % known, span, is_one=False)
        return gettext("%(low)s to %(high)s") % {"low": _one(low), "high": _one(high)}
    if high:
        return gettext("up to %(high)s") % {"high": _one(high, but_for="<=")}
    if low.comparator == ">=":
        return gettext("at least %(low)s") % {"low": _one(low, but_for=">=")}
    return _one(low) if low else length.said


def counted(number: str, span: Span, *, is_one: bool) -> str:
    """That many of a unit of time, spelled out."""
    several = 1 if is_one else 2
    spelled: Mapping[Span, str] = {
        Span.SECOND: ngettext("%(number)s second", "%(number)s seconds", several),
        Span.MINUTE: ngettext("%(number)s minute", "%(number)s minutes", several),
        Span.HOUR: ngettext("%(number)s hour", "%(number)s hours", several),
        Span.DAY: ngettext("%(number)s day", "%(number)s days", several),
        Span.WEEK: ngettext("%(number)s week", "%(number)s weeks", several),
        Span.MONTH: ngettext("%(number)s month", "%(number)s months", several),
        Span.YEAR: ngettext("%(number)s year", "%(number)s years", several),
    }
    return spelled[span] % {"number": number}


def plain(number: Decimal | None) -> str:
    """A number as we write it for a reader: no trailing zero, always a leading one (patient experience 3.1)."""
    if number is None:
        return ""
    written = f"{number:f}"
    return (written.rstrip("0").rstrip(".") if "." in written else written) or "0"


def _one(quantity: Quantity, *, but_for: str = "") -> str:
    """One length with its comparator, unless that is `but_for`, which the words around it express already."""
    if quantity.comparator and quantity.comparator == but_for:
        quantity = replace(quantity, comparator="")
    span = span_of(quantity.unit)
    if span is None or quantity.comparator:  # "< 3 months" is not "3 months"
        return quantity.shown
    number = plain(quantity.number)
    return counted(number, span, is_one=number == "1")


_SPANS: Final[Mapping[str, Span]] = MappingProxyType(
    {
        **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), Span.SECOND),
        **dict.fromkeys(("min", "mins", "minute", "minutes"), Span.MINUTE),
        **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), Span.HOUR),
        **dict.fromkeys(("d", "day", "days"), Span.DAY),
        **dict.fromkeys(("wk", "wks", "week", "weeks"), Span.WEEK),
        **dict.fromkeys(("mo", "mos", "month", "months"), Span.MONTH),
        **dict.fromkeys(("a", "y", "yr", "yrs", "year", "years"), Span.YEAR),
    }
)
