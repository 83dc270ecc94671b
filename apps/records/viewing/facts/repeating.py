"""Fields of an entry that only repeat what another of its facts says."""

from collections.abc import Iterable
from typing import Final

from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.dosing.dosages import Dosage
from apps.records.presenters.entry import Entry
from apps.records.presenters.goals import GoalEntry, Status, Verdict
from apps.records.presenters.medicines.medications import MedicationEntry
from apps.records.presenters.procedures import ProcedureEntry
from apps.records.presenters.visits import VisitEntry

_MEANT_BY: Final = {
    (Status.WORKING_ON_IT, Verdict.UNDER_WAY),
    (Status.REACHED, Verdict.REACHED),
    (Status.KEPT_UP, Verdict.KEPT_UP),
}


def is_told(entry: Entry, name: str) -> bool:
    """Whether another fact of this entry says everything that the field with that name does."""
    if isinstance(entry, GoalEntry):
        return name == "verdict" and (entry.status, entry.verdict) in _MEANT_BY
    if isinstance(entry, VisitEntry):
        is_called_by_its_kind = not (entry.title or entry.class_said)
        return (name == "types" and entry.types == (entry.title,)) or (name == "kind" and is_called_by_its_kind)
    if isinstance(entry, ConditionEntry):
        return name == "has_ended" and bool(entry.ended)
    if isinstance(entry, MedicationEntry):
        is_only_itself = name == "ingredients" and entry.ingredients == (entry.title,)
        return is_only_itself or (name == "taken" and tells_when(entry.dosages, entry.taken))
    if isinstance(entry, ProcedureEntry):
        return name == "planned" and tells_when(entry.schedule, entry.planned)
    return False


def tells_when(dosages: Iterable[Dosage], when: When) -> bool:
    """Whether one of these says everything that this date does (`dosage_words.lines`): as its duration, or as one of
    its events. With several durations, the first would seem to be the whole."""
    sides = (when.starts, when.ends)
    if not any(sides):
        return False
    has_clock = any("T" in side for side in sides)  # a dosage shows no clock times for its bounds
    return any(
        (not has_clock and (dosage.timing.bounds.starts, dosage.timing.bounds.ends) == sides)
        or (not when.ends and when.starts in dosage.timing.events)
        for dosage in dosages
        if dosage.timing.bounds.ends or not dosage.text
    )
