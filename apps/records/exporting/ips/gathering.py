"""What goes into each section, gathered from every chosen source in one pass; of long lists the newest part.

Memory is bounded by MOST entries a section and by how many different tests there are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from apps.records.exporting import reading
from apps.records.exporting.choosing import Choice
from apps.records.exporting.ips.clinical import Item
from apps.records.exporting.ips.sections import SECTIONS, TYPES, Section
from apps.records.exporting.reading import Told
from apps.records.exporting.stored import Source
from apps.records.presenters import absences, elements, heads
from apps.records.presenters.absences import Absence
from apps.records.presenters.elements import Element
from apps.records.presenters.moments import When

MOST = 200


@dataclass(frozen=True, repr=False)
class Found:
    """One item, and which resource of which source it was made from."""

    source: Source
    logical_id: str
    resource_type: str
    item: Item

    @property
    def order(self) -> tuple[str, str, str]:
        """Newest last; then the same every time."""
        return self.item.when.sorts_at, self.item.title, self.logical_id


@dataclass(frozen=True, repr=False)
class NoneKnown:
    """A provider recorded that there is none."""

    source: Source
    logical_id: str
    absence: Absence
    said: str
    when: When


@dataclass
class Gathered:
    """What one section holds. `left_out` counts what is over, ruled out or not done; `older` what is beyond MOST or
    older than the latest of its kind; `withheld` what has no details."""

    found: list[Found] = field(default_factory=list)
    none_known: list[NoneKnown] = field(default_factory=list)
    left_out: int = 0
    older: int = 0
    withheld: int = 0

    def add(self, one: Found) -> None:
        """Keep it, for now."""
        self.found.append(one)
        if len(self.found) > MOST * 4:
            self.settle()

    def settle(self) -> None:
        """Of what is alike, and of all, keep the newest."""
        newest_first = sorted(self.found, key=lambda one: one.order, reverse=True)
        alike: dict[str, Found] = {}
        for number, one in enumerate(newest_first):
            alike.setdefault(one.item.alike or f"#{number}", one)
        kept = list(alike.values())[:MOST]
        self.older += len(self.found) - len(kept)
        self.found = kept


@dataclass(frozen=True, repr=False)
class Patient:
    """A Patient of one source, as received."""

    source: Source
    resource: Element


def gather(choices: Iterable[Choice]) -> tuple[list[Patient], dict[str, Gathered]]:
    """The patients, and what each section holds by its code. Raises `apps.vault.errors.VaultError` where nothing of
    this person can be opened."""
    gathered = {section.loinc: Gathered() for section in SECTIONS}
    patients: list[Patient] = []
    for told in _told(choices):
        if told.entry.resource_type == "Patient":
            patients.append(Patient(told.source, told.resource))
            continue
        for section in SECTIONS:
            if told.entry.resource_type in section.resource_types and _belongs(told, section):
                _put(told, section, gathered[section.loinc])
    for held in gathered.values():
        held.settle()
    return patients, gathered


def _told(choices: Iterable[Choice]) -> Iterator[Told]:
    for choice in choices:
        yield from reading.told(choice.connection, choice.source, types=("Patient", *TYPES))


def _belongs(told: Told, section: Section) -> bool:
    """An Observation goes where its subject is; what it is not about must not count as left out of it."""
    is_shared = told.entry.resource_type in {"Observation", "CarePlan"}
    return not is_shared or told.subject is section.subject


def _put(told: Told, section: Section, held: Gathered) -> None:
    if told.entry.is_withdrawn or told.is_gone:
        return
    if told.entry.is_withheld:
        held.withheld += 1
        return
    absence, said = _absence(told)
    if absence is not None and absence in section.none:
        when = told.entry.when
        held.none_known.append(NoneKnown(told.source, told.entry.logical_id, absence, said, when))
        return
    item = section.item(told)
    if item is None:
        held.left_out += 1
    else:
        held.add(Found(told.source, told.entry.logical_id, told.entry.resource_type, item))


def _absence(told: Told) -> tuple[Absence | None, str]:
    for name in ("code", "substance", "medicationCodeableConcept", "vaccineCode", "type"):
        concept = elements.child(told.resource, name)
        title = heads.title_of(concept)
        absence = absences.known_absence(heads.codes_of(concept), title)
        if absence is not None:
            return absence, title
    return None, ""
