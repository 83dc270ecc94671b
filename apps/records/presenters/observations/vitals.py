"""Which observations are vital signs, in the order of the page, and blood pressure as one reading with two numbers.

A vital sign is recognized by its category (vital-signs in both FHIR versions) or by a code of the vital signs profiles
(US Core, Argonaut DSTU2: 55284-4 with components). Patient experience 3.4.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from apps.records.presenters import elements, plain_names
from apps.records.presenters.codeable_concepts import codes_of
from apps.records.presenters.datatypes import units
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element
from apps.records.presenters.memoizing import memoized
from apps.records.presenters.observations.results import Category, Comparable, Component
from apps.records.presenters.observations.values import Kind


class Vital(StrEnum):
    """What is measured, in the order of the page."""

    BLOOD_PRESSURE = "blood-pressure"
    HEART_RATE = "heart-rate"
    OXYGEN = "oxygen"
    TEMPERATURE = "temperature"
    BREATHING_RATE = "breathing-rate"
    WEIGHT = "weight"
    HEIGHT = "height"
    BMI = "bmi"
    PAIN = "pain"
    GROWTH = "growth"
    OTHER = "other"


# By keys of plain names. An observation with the category but without one of these is another vital sign.
_VITALS = {
    **dict.fromkeys(("blood-pressure", "systolic", "diastolic", "mean-pressure"), Vital.BLOOD_PRESSURE),
    "heart-rate": Vital.HEART_RATE,
    "oxygen": Vital.OXYGEN,
    "temperature": Vital.TEMPERATURE,
    "breathing-rate": Vital.BREATHING_RATE,
    "weight": Vital.WEIGHT,
    "height": Vital.HEIGHT,
    "bmi": Vital.BMI,
    "pain": Vital.PAIN,
    **dict.fromkeys(("bmi-percentile", "weight-for-length", "head-size", "head-percentile"), Vital.GROWTH),
}
_UPPER = frozenset({"loinc:8480-6"})
_LOWER = frozenset({"loinc:8462-4"})


@dataclass(frozen=True)
class BloodPressure:
    """One reading. A number that was not sent is empty. `entries` are the observations from which it was read: one, or
    two from the same moment."""

    upper: Quantity = NO_QUANTITY
    lower: Quantity = NO_QUANTITY
    when: When = UNDATED
    entries: tuple[Comparable, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether both numbers were sent, in the same unit."""
        return bool(self.upper and self.lower) and self.upper.unit_key == self.lower.unit_key

    @property
    def shown(self) -> str:
        """The reading in one text: 128/82 mmHg. If the units differ, each number has its own; if only one number was
        sent, that one."""
        if not self.is_whole:
            return " / ".join(filter(None, (self.upper.shown, self.lower.shown)))
        upper = Quantity(self.upper.value, self.upper.comparator).shown
        lower = Quantity(self.lower.value, self.lower.comparator).shown
        return f"{upper}/{lower} {self.upper.unit_shown}".strip()


def is_vital(resource: Element) -> bool:
    """Whether an Observation is a vital sign, before it is presented."""
    return _is_vital(resource.get("category"), resource.get("code"))


@memoized
def _is_vital(category: object, code: object) -> bool:
    resource = {"category": category, "code": code}
    concepts = elements.children(resource, "category")
    categories = {code.lower() for concept in concepts for code in elements.codes(concept)}
    if "vital-signs" in categories:
        return True
    name = plain_names.of(codes_of(elements.child(resource, "code")))
    return name is not None and name.key in _VITALS


def vital_of(entry: Comparable) -> Vital | None:
    """Which vital sign an entry is; None if it is not one."""
    name = plain_names.of_test(entry.test)
    if name is not None and name.key in _VITALS:
        return _VITALS[name.key]
    return Vital.OTHER if entry.category == Category.VITALS else None


def second_unit(quantity: Quantity) -> str:
    """The same weight in pounds, height in feet and inches, or temperature in °F, to show in parentheses after the
    value as sent; empty for any other unit. One decimal is enough, since the exact value is shown beside it."""
    number, unit = quantity.number, quantity.unit_key
    if number is None or unit not in _SECOND:
        return ""
    found = units.convert(number, unit, _SECOND[unit])
    if found is None or not abs(found) < _LARGEST:
        return ""
    sign = Quantity("0", quantity.comparator).shown.removesuffix("0")
    if unit != "cm":
        return f"{sign}{found:.1f} {units.shown('', _SECOND[unit])}"
    feet, inches = divmod(found.quantize(Decimal("0.1")), 12)
    return f"{sign}{feet:.0f} ft {inches:.1f} in" if found >= 0 else ""


_SECOND = {"kg": "[lb_av]", "cm": "[in_i]", "Cel": "[degF]"}
_LARGEST = Decimal(10**9)


def blood_pressure(entry: Comparable) -> BloodPressure | None:
    """The reading of one observation: from its components, or from itself if it is one of the two numbers. None if the
    provider says of any of these values that there is none."""
    if any(part.value and part.value.absence for part in (*entry.components, entry)):
        return None
    upper = _number(entry, _UPPER)
    lower = _number(entry, _LOWER)
    return BloodPressure(upper, lower, entry.when, (entry,)) if upper or lower else None


def blood_pressures(entries: Iterable[Comparable]) -> tuple[BloodPressure, ...]:
    """The readings of these entries, in their order. Two halves that were sent separately form one reading if they have
    the same moment and there is only one of each kind at that moment; we never guess which halves belong together."""
    readings = [reading for entry in entries if (reading := blood_pressure(entry)) is not None]
    halves: dict[str, list[BloodPressure]] = {}
    for reading in readings:
        if not (reading.upper and reading.lower) and "T" in reading.when.starts:
            halves.setdefault(reading.when.starts, []).append(reading)
    joined = {moment: whole for moment, found in halves.items() if (whole := _joined(found)) is not None}
    told: dict[int, BloodPressure] = {}
    for reading in readings:
        whole = reading if reading.upper and reading.lower else joined.get(reading.when.starts, reading)
        told[id(whole)] = whole
    return tuple(told.values())


def _joined(halves: Sequence[BloodPressure]) -> BloodPressure | None:
    uppers = [half for half in halves if half.upper]
    lowers = [half for half in halves if half.lower]
    if len(uppers) != 1 or len(lowers) != 1 or uppers[0].upper.unit_key != lowers[0].lower.unit_key:
        return None
    entries = (*uppers[0].entries, *lowers[0].entries)
    return BloodPressure(uppers[0].upper, lowers[0].lower, uppers[0].when, entries)


def _number(entry: Comparable, tests: frozenset[str]) -> Quantity:
    parts: tuple[Comparable | Component, ...] = (*entry.components, entry)
    return next(
        (part.value.quantity for part in parts if part.test in tests and part.value.kind == Kind.QUANTITY), Quantity()
    )
