"""A line of a section's table in the reader's language: in the words of the record's own pages, with dates that say
what they stand for. What the provider wrote stays as it was sent."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from django.utils.translation import ngettext

from apps.records import counts
from apps.records.exporting.reading import PresentedRecord
from apps.records.presenters.care_plans import Activity, CarePlanEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.medicines import substitutions
from apps.records.presenters.observations import vitals
from apps.records.presenters.observations.results import Component, ResultEntry
from apps.records.viewing.facts import labels, lines, repeating
from apps.records.viewing.wording import dates_in_words, values_in_words, words

# What a line shows for each kind of entry besides its status, in this order.
_TOLD: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "AllergyEntry": ("criticality", "reactions", "last_reaction"),
        "ConditionEntry": ("severity", "stages", "body_sites", "ended", "ends"),
        "DeviceEntry": ("scanner", "scanner_too", "latex", "safety", "model", "maker", "serial"),
        "ImmunizationEntry": ("is_reported", "reported_by", "doses", "lot", "is_subpotent"),
        "MedicationEntry": ("stopped_because", "is_for_a_stay", "substitution"),
        "ProcedureEntry": ("handled", "body_sites", "reasons_not", "outcome", "complications"),
        "ResultEntry": ("specimen", "body_site"),
    }
)
_SAY_WHAT_THEY_ARE: Final = frozenset({"criticality", "reactions", "handled", "model", "stopped_because"})


def details(told: PresentedRecord, *said: str) -> str:
    """Its status, these texts, and what else one should know at a glance."""
    entry = told.entry
    facts = _facts(entry, counts=not told.is_shared)
    return together(words.of_status(entry, provider=told.source.provider), *said, *facts)


def together(*said: str) -> str:
    """These as one text, without the empty ones."""
    return "; ".join(filter(None, said))


def date(entry: Entry) -> tuple[str, str]:
    """What its date stands for, unless the date's words say so themselves, and the date; both empty if none was
    given."""
    when = entry.when
    said = dates_in_words.in_words(when) if when or when.unknown else ""
    return ("" if not said or dates_in_words.says_itself(when) else dates_in_words.label(entry)), said


def measured(entry: ResultEntry, *, counts: bool) -> str:
    """Its value, its place in the range, and the usual range; if it has components, those of each; otherwise, if it
    `counts` members, the number of results that it groups."""
    return together(*_measured(entry, counts=counts))


def counted(count: int) -> str:
    """The number of results to look for elsewhere; empty if there are none."""
    return ngettext("%(count)s result", "%(count)s results", count) % {"count": counts.grouped(count)} if count else ""


def _facts(entry: Entry, *, counts: bool) -> Iterator[str]:
    if isinstance(entry, ResultEntry):
        yield from _measured(entry, counts=counts)
    if isinstance(entry, CarePlanEntry):
        yield from map(_to_do, entry.activities)
    kind = type(entry).__name__
    for name in _TOLD.get(kind, ()):
        sent = getattr(entry, name)
        value = substitutions.forbidden(sent) if name == "substitution" else sent
        label = "" if name in _SAY_WHAT_THEY_ARE else labels.of_field(kind, name)
        told = lines.of_severity(value) if name == "severity" else lines.of(value)
        text = label if value is True else "; ".join(told)
        yield f"{label}: {text}" if label and text and value is not True else text


def _to_do(activity: Activity) -> str:
    when = () if repeating.tells_when(activity.schedule, activity.when) else lines.of(activity.when)
    said = (activity.text, words.of_key(activity.progress), *lines.of_details(activity), *when, *activity.said)
    told = " · ".join(filter(None, (*said, *lines.of(activity.progress_notes))))
    return f"{labels.of_field('Activity', 'is_to_avoid')}: {told}" if activity.is_to_avoid else told


def _measured(entry: ResultEntry, *, counts: bool) -> Iterator[str]:
    is_pressure = vitals.blood_pressure(entry) is not None
    parts = () if is_pressure else tuple(filter(None, map(_part, entry.components)))
    place = values_in_words.of_place(entry)
    if entry.value or is_pressure or not (parts or place):
        yield values_in_words.of_result(entry)
    yield place
    if entry.usual_range is not None:
        yield f"{labels.of_field('ResultEntry', 'usual_range')}: {values_in_words.of_range(entry.usual_range)}"
    yield from parts
    if counts and not (entry.value or entry.components):
        yield counted(len(entry.members))


def _part(part: Component) -> str:
    """A component with its name: for a germ, this may be a medicine without a value, and whether it works."""
    place = values_in_words.of_place(part)
    if part.value:
        return ", ".join(filter(None, (values_in_words.of_part(part.title, part.value), place)))
    return f"{part.title}: {place}" if part.title and place else place
