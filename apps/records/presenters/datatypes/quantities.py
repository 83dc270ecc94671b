"""A Quantity with its digits as sent, and what it says beside others.

DSTU2 section 1.14.0.5 and R4 section 2.24.0.6: value, comparator, unit, system, code. A number is shown with the digits
the provider wrote (5.10 stays 5.10) and in the unit it wrote; the UCUM code serves to compare.
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


class Quantity(msgspec.Struct, frozen=True, dict=True):  # which holds what is worked out once
    """A number as sent; `value` is empty where there is none.

    `comparator` is <, <=, >= or >, and empty for the number itself. `unit` is as sent, and the code where only that
    was. `code` is the UCUM code, empty for another system's.
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
        """What another quantity must share to be compared with this one."""
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
        """The unit as it stands behind a number: one that begins with a power of ten is a multiple of that."""
        unit = self.unit_shown
        times = "\N{MULTIPLICATION SIGN} " if _POWER.match(unit) else ""
        return f" {times}{unit}" if unit else ""


NO_QUANTITY: Final = Quantity()


_SIGNS = {"<": "< ", "<=": "≤ ", ">=": "≥ ", ">": "> "}


def read(element: Element) -> Quantity:
    """A Quantity, Age, Count, Duration or Money; without a value where it has no finite number."""
    number = elements.number(element, "value")
    value = "" if number is None else digits(number)
    if not value or len(value) > _MOST_DIGITS:
        return Quantity()
    comparator = elements.text(element, "comparator")
    if comparator and comparator not in _COMPARATORS:  # a number that says "about", in no known way, is not the number
        return Quantity()
    code = elements.text(element, "code")
    return Quantity(
        value=value,
        comparator=comparator,
        unit=_one_line(elements.text(element, "unit") or code),
        code=code if elements.text(element, "system").rstrip("/") == _UCUM else "",
    )


def ends(limits: Element, *, of: Callable[[Element], Quantity] = read) -> tuple[Quantity, Quantity] | None:
    """The low and the high end of a Range, each read by `of`; both empty where none was sent.

    One that stands alone says so by its comparator: >= 5 mg, where no high end was sent. None where one was sent and
    cannot be read, or where the only one has a comparator already: what is left would be another amount.
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
    """Comparator, value and unit (its code where it has no name) as they stand, whatever they are: "about 5", "1:80".
    Empty without a value."""
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
