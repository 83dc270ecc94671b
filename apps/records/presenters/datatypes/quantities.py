"""A Quantity with its digits as sent, and the key by which it compares with others.

DSTU2 section 1.14.0.5 and R4 section 2.24.0.6: value, comparator, unit, system, code. A number is shown with the digits
the provider wrote (5.10 stays 5.10) and in the unit the provider wrote; the UCUM code serves for comparing.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cached_property
from typing import Final

import msgspec
from msgspec.structs import replace

from apps.records.presenters import elements
from apps.records.presenters.datatypes import units
from apps.records.presenters.elements import Element

_COMPARATORS = frozenset({"<", "<=", ">=", ">"})
_UCUM = "http://unitsofmeasure.org"
_POWER = re.compile("10[⁰¹²³⁴⁵⁶⁷⁸⁹]")
_MOST_DIGITS = 40  # no measurement has more; a page has no room for them


class Quantity(msgspec.Struct, frozen=True, dict=True):  # `dict` holds the cached properties
    """A number as sent; `value` is empty if there is none.

    `comparator` is <, <=, >= or >, or empty if the value is exact. `unit` is as sent, or the code if only that was
    sent. `code` is the UCUM code; a code of another system is left out.
    """

    value: str = ""
    comparator: str = ""
    unit: str = ""
    code: str = ""

    def __bool__(self) -> bool:
        """Whether there is a number."""
        return bool(self.value)

    @cached_property
    def number(self) -> Decimal | None:
        """The number to compute with, whatever its comparator."""
        return Decimal(self.value) if self.value else None

    @cached_property
    def unit_key(self) -> str:
        """The key that another quantity must share to be comparable with this one."""
        return units.key(self.unit, self.code)

    @property
    def unit_shown(self) -> str:
        """The unit as a reader knows it."""
        return units.shown(self.unit, self.code)

    @property
    def shown(self) -> str:
        """The comparator, the digits and the unit: < 5.10 mg/dL. Never localized (patient experience 0)."""
        return f"{_SIGNS.get(self.comparator, '')}{self.value}{self.unit_behind}" if self.value else ""

    @property
    def unit_behind(self) -> str:
        """The unit as it follows a number: with a multiplication sign, if it begins with a power of ten."""
        unit = self.unit_shown
        times = "\N{MULTIPLICATION SIGN} " if _POWER.match(unit) else ""
        return f" {times}{unit}" if unit else ""


NO_QUANTITY: Final = Quantity()


_SIGNS = {"<": "< ", "<=": "≤ ", ">=": "≥ ", ">": "> "}


def read(element: Element) -> Quantity:
    """Read a Quantity, Age, Count, Duration or Money; without a finite number, the result is empty."""
    number = elements.number(element, "value")
    value = "" if number is None else digits(number)
    if not value or len(value) > _MOST_DIGITS:
        return Quantity()
    comparator = elements.text(element, "comparator")
    if comparator and comparator not in _COMPARATORS:  # "about 5" is not 5
        return Quantity()
    code = elements.text(element, "code")
    return Quantity(
        value=value,
        comparator=comparator,
        unit=_one_line(elements.text(element, "unit") or code),
        code=code if elements.text(element, "system").rstrip("/") == _UCUM else "",
    )


def ends(limits: Element, *, of: Callable[[Element], Quantity] = read) -> tuple[Quantity, Quantity] | None:
    """The low and the high end of a Range, each read by `of`; both are empty if neither was sent.

    If only one end was sent, it gets a comparator: without a high end, 5 mg becomes >= 5 mg. None if an end was sent
    that cannot be read, or if the only end already has a comparator: what is left would be a different amount.
    """
    low, high = (of(elements.child(limits, side)) for side in ("low", "high"))
    if any(limits.get(side) and not found for side, found in (("low", low), ("high", high))):
        return None
    if bool(low) == bool(high):
        return low, high
    if low.comparator or high.comparator:
        return None
    return (replace(low, comparator=">="), high) if low else (low, replace(high, comparator="<="))


def as_sent(element: Element) -> str:
    """Comparator, value and unit (its code, if it has no name) as sent, whether valid or not: "about 5", "1:80". Empty
    without a value."""
    if not _is_plain(element.get("value")):
        return ""
    unit = "unit" if _is_plain(element.get("unit")) else "code"
    sent = (element.get(part) for part in ("comparator", "value", unit))
    try:
        return " ".join(filter(None, (elements.shown(str(part)) for part in sent if _is_plain(part))))
    except ValueError:  # an integer too long to be written
        return ""


def _is_plain(sent: object) -> bool:
    return isinstance(sent, str | int | Decimal) and not isinstance(sent, bool) and sent != ""


def digits(number: Decimal) -> str:
    """The number as it was written, without an exponent: 5.10, 0.0001, 1200."""
    return f"{number:f}"


def _one_line(unit: str) -> str:
    return " ".join(unit.split())
