"""Fields that hold codes for which we have words; other texts stay as they were sent."""

from collections.abc import Callable, Mapping
from typing import Final

from django.utils.functional import Promise

from apps.records.presenters import devices, goals, insurance, specimens
from apps.records.presenters.medicines import courses
from apps.records.presenters.persons import patient

_CALLED: Final[Mapping[str, Mapping[str, str | Promise]]] = {
    "relationship": insurance.RELATIONSHIP_WORDS,
    "fasting": specimens.FASTING_WORDS,
    "state": specimens.STATE_WORDS,
    "DeviceEntry.why": devices.REASON_WORDS,
    "FamilyEntry.sex": patient.SEX_WORDS,
    "GoalEntry.priority": goals.PRIORITY_WORDS,
    "MedicationEntry.course": courses.WORDS,
}


def of(kind: str, name: str) -> Callable[[object], tuple[str, ...]] | None:
    """A function that makes the lines of that field; None if it holds no codes."""
    called = _CALLED.get(f"{kind}.{name}", _CALLED.get(name))
    return None if called is None else lambda value: _lines(value, called)


def _lines(value: object, called: Mapping[str, str | Promise]) -> tuple[str, ...]:
    several = value if isinstance(value, tuple | list) else (value,)
    return tuple(str(called.get(each, each)) for each in several if isinstance(each, str) and each)
