"""An entry's own page: what it says, as labeled facts in the order its presenter gives them.

`of` reads the fields of any kind of entry; `labels` names them, and `lines` puts each value into words. A field without
a label is not shown: a reference, a code, or what the head of the page already says.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.translation import ngettext
from msgspec.structs import fields, replace

from apps.records import counts
from apps.records.presenters import date_meanings, immunizations, procedures, visits
from apps.records.presenters.care_teams import CareTeamEntry, Circle
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.devices import DeviceEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.generic import particular_words
from apps.records.presenters.generic.any_resource import GenericEntry
from apps.records.presenters.medicines.medications import Kind, MedicationEntry, Status
from apps.records.presenters.observations.results import Measured, ResultEntry
from apps.records.presenters.observations.vitals import blood_pressure
from apps.records.viewing.facts import keyed, labels, lines, repeating
from apps.records.viewing.wording import dates_in_words, values_in_words, words

_SAID_BY_NAME: Final = {
    "is_certainty_unknown": lines.of_unknown,
    "severity": lines.of_severity,
    "length": lines.of_length,
}
# Fields that say that people did something, with the statuses in which they did not.
_NOTHING_DONE: Final[Mapping[str, frozenset[str]]] = {
    "participants": frozenset({visits.Status.PLANNED, visits.Status.CANCELED}),
    "performers": frozenset({procedures.Status.PLANNED, procedures.Status.NOT_DONE}),
    "given_by": frozenset({immunizations.Status.WAS_NOT_GIVEN}),
}


@dataclass(frozen=True)
class Fact:
    """One label and the lines under it."""

    label: str
    lines: tuple[str, ...]


def of(entry: Entry, *, provider: str) -> tuple[Fact, ...]:
    """The facts of an entry: first its status and date, then those of its kind, and last the people."""
    if entry.is_withheld or entry.is_withdrawn:
        return ()
    own = _own(entry)
    found = [
        Fact(labels.status(), (words.of_status(entry, provider=provider),)),
        *(() if dates_in_words.is_of_no_day(type(entry).__name__, entry.when) else (_of_date(entry),)),
        *own,
        Fact(labels.people(), () if isinstance(entry, CareTeamEntry) else _unnamed(entry, own)),  # members name all
    ]
    return tuple(fact for fact in found if any(fact.lines))


def are_bare(told: Iterable[Fact], entry: Entry) -> bool:
    """Whether they are only the entry's status and date."""
    return {fact.label for fact in told} <= {labels.status(), dates_in_words.label(entry)}


def label_of(entry: Entry, name: str) -> str:
    """The label of a field. That something was prescribed does not mean that it was taken; and nobody has done what is
    only planned, or was not done."""
    if name == "taken" and isinstance(entry, MedicationEntry) and entry.kind is not Kind.REPORTED:
        is_forbidden = entry.status in {Status.NOT_TO_BE_TAKEN, Status.WAS_NOT_TO_BE_TAKEN}
        return labels.covers() if is_forbidden else labels.to_be_taken()
    if name == "stopped_because" and isinstance(entry, MedicationEntry):
        return labels.why(entry.status)
    if name == "pharmacy" and isinstance(entry, MedicationEntry) and entry.kind is Kind.FILLED:
        return labels.filled_by()  # may be a person
    if entry.status in _NOTHING_DONE.get(name, ()):
        return labels.people()
    return labels.of_field(type(entry).__name__, name)


def _of_date(entry: Entry) -> Fact:
    return Fact(dates_in_words.label(entry), (dates_in_words.in_full(_without_since(entry)),))


def _unnamed(entry: Entry, own: list[Fact]) -> tuple[str, ...]:
    """The people involved, except those whom another fact names together with their role."""
    named = {part for fact in own for line in fact.lines for part in (line, *line.split(" · "))}
    return tuple(person for person in entry.people if person not in named)


def _without_since(entry: Entry) -> When:
    """Under the label "Started", the word "Since" would repeat it."""
    return (
        replace(entry.when, is_open=False) if date_meanings.of(entry) == "started" else dates_in_words.as_meant(entry)
    )


def _own(entry: Entry) -> list[Fact]:
    shared = {field.name for field in fields(Entry)}
    found = []
    for field in fields(entry):
        label, value = label_of(entry, field.name), getattr(entry, field.name)
        if field.name in shared or not label or value == entry.when or repeating.is_told(entry, field.name):
            continue
        if isinstance(entry, CareTeamEntry) and field.name == "members":
            found += _circles(entry, label)
            continue
        if isinstance(entry, GenericEntry) and field.name == "particulars":
            found += [
                Fact(str(particular_words.LABELS[one.what]), (*lines.of_particular(one), *_of_more(one.more)))
                for one in entry.particulars
            ]
            continue
        found.append(Fact(label, _said(entry, field.name, value)))
        if field.name == "value" and isinstance(entry, Measured):
            found.append(Fact(_of_place(entry), (values_in_words.of_place(entry),)))
    return found


def _circles(team: CareTeamEntry, label: str) -> list[Fact]:
    """The members of a team, grouped by the circle to which they belong if any belongs to a named one (patient
    experience 3.9)."""
    circles = [Circle(member.circle) for member in team.members]
    if set(circles) <= {Circle.OTHERS}:
        return [Fact(label, lines.of(team.members))]
    return [
        Fact(words.of_key(circle), lines.of([replace(one, circle=Circle.OTHERS) for one in members]))
        for circle in Circle
        if (members := [one for one, its in zip(team.members, circles, strict=True) if its is circle])
    ]


def _of_place(measured: Measured) -> str:
    """A finding that is present or absent has no place in a range."""
    return labels.place() if measured.place in values_in_words.BY_A_RANGE else labels.interpretation()


def _said(entry: Entry, name: str, value: object) -> tuple[str, ...]:
    if name == "value" and isinstance(entry, ResultEntry):
        if _is_pressure(entry):  # its two numbers as one value, as in lists
            own = values_in_words.of_own_value(entry) if entry.value else ""
            return tuple(dict.fromkeys(filter(None, (values_in_words.of_result(entry), own))))
        if entry.value or entry.says_nothing:
            return (values_in_words.of_own_value(entry),)
    if name in _SAID_BY_NAME:
        return _SAID_BY_NAME[name](value)
    if say := keyed.of(type(entry).__name__, name):
        return say(value)
    if isinstance(entry, DeviceEntry) and name == "udi":
        return entry.udi_groups  # one per line, as on a label, so that no line breaks within a number
    told = lines.of_date(value) if labels.is_date(type(entry).__name__, name) else lines.of(value)
    return (*told, *_of_more(getattr(entry, f"more_{name}", 0)))


def _of_more(more: int) -> tuple[str, ...]:
    said = ngettext(
        "%(count)s more was sent. See “What the provider sent”.",
        "%(count)s more were sent. See “What the provider sent”.",
        more,
    )
    return (said % {"count": counts.grouped(more)},) if more else ()


def _is_pressure(entry: ResultEntry) -> bool:
    return bool(entry.components) and blood_pressure(entry) is not None
