"""What a field of an entry says that another of its facts says already."""

from typing import Final

from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.goals import GoalEntry, Status, Verdict
from apps.records.presenters.medications import MedicationEntry
from apps.records.presenters.visits import VisitEntry

_MEANT_BY: Final = {
    (Status.WORKING_ON_IT, Verdict.UNDER_WAY),
    (Status.REACHED, Verdict.REACHED),
    (Status.KEPT_UP, Verdict.KEPT_UP),
}


def is_told(entry: Entry, name: str) -> bool:
    """Whether another fact of this entry says all that the field of that name does."""
    if isinstance(entry, GoalEntry):
        return name == "verdict" and (entry.status, entry.verdict) in _MEANT_BY
    if isinstance(entry, VisitEntry):
        is_called_by_its_kind = not (entry.title or entry.class_said)
        return (name == "types" and entry.types == (entry.title,)) or (name == "kind" and is_called_by_its_kind)
    if isinstance(entry, ConditionEntry):
        return name == "has_ended" and bool(entry.ended)
    if isinstance(entry, MedicationEntry):
        return _is_how_long(entry) if name == "taken" else name == "ingredients" and entry.ingredients == (entry.title,)
    return False


def _is_how_long(entry: MedicationEntry) -> bool:
    """Whether when it is taken is how long one of its dosages says (`dosage_words.lines`): of several, the first would
    seem to be the whole."""
    taken = (entry.taken.starts, entry.taken.ends)
    if not any(taken) or any("T" in side for side in taken):  # a dosage tells no clock time of its bounds
        return False
    told = (dosage.timing.bounds for dosage in entry.dosages if dosage.timing.bounds.ends or not dosage.text)
    return any((bounds.starts, bounds.ends) == taken for bounds in told)
