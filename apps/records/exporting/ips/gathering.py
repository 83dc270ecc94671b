"""What goes into each section, gathered from every chosen source: from shelves, and from the bodies of the entries that
are picked there.

A shelf that cannot be read is replaced by the records themselves, with the same result.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain, product
from typing import Final
from uuid import UUID

import msgspec

from apps.records import subjects
from apps.records.exporting import reading, shelved
from apps.records.exporting.choosing import Choice
from apps.records.exporting.ips import cautions, judging, narrating, noting, redacting
from apps.records.exporting.ips.clinical import Item
from apps.records.exporting.ips.extents import Extent
from apps.records.exporting.ips.sections import SECTIONS, Section
from apps.records.exporting.ips.selecting import MOST, Left, Newest, NoneKnown, Picked, Ranked, Selection
from apps.records.exporting.ips.transient_states import TransientState
from apps.records.exporting.prescription_fills import Fills
from apps.records.exporting.reading import PresentedRecord
from apps.records.exporting.shelved import Unreadable
from apps.records.exporting.stored import Source
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import UNLISTED, Context, Entry
from apps.records.presenters.memoizing import memoizing
from apps.records.shelving.reading import OpenShelf
from apps.records.subjects import MEDICINES, Subject
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing

_ENCODER: Final = msgspec.json.Encoder()
_BY_SUBJECT: Final[Mapping[Subject, tuple[Section, ...]]] = {
    subject: tuple(section for section in SECTIONS if subject in section.subjects)
    for subject in dict.fromkeys(chain.from_iterable(section.subjects for section in SECTIONS))
}


@dataclass(frozen=True, repr=False)
class SectionEntry:
    """One item, with the date in its line of the narrative, what that date stands for, and the resource and source it
    was made from. `thing` groups items about the same thing, `rank` says how early to show it, `again` is equal for
    procedures that were repeated in the same way, and `transient_states` says when it was true, if it may no longer be.
    `also` are items with exactly the same text, with what they were made from."""

    source: Source
    logical_id: str
    resource_type: str
    item: Item
    label: str
    date: str
    thing: str = ""
    rank: int = 0
    again: str = ""
    passing: TransientState | None = None
    also: tuple["SectionEntry", ...] = ()

    @property
    def all(self) -> tuple["SectionEntry", ...]:
        """This and the items that say the same, in the order of the sources."""
        return tuple(sorted((self, *self.also), key=lambda one: one.source.number))

    @property
    def providers(self) -> str:
        """The providers that say so."""
        return ", ".join(dict.fromkeys(each.source.provider for each in self.all))

    @property
    def said(self) -> bytes:
        """Everything it says, to people and to programs, for comparison. Empty if it says more by what it refers to, or
        has modifiers: then it equals nothing."""
        item = self.item
        if item.results or item.inside or not item.resource.keys().isdisjoint(("modifierExtension", "implicitRules")):
            return b""
        return _ENCODER.encode((item.title, item.detail, self.label, self.date, item.resource, item.beside))


@dataclass
class Gathered:
    """What one section holds, newest first, and what it does not list."""

    newest: Newest[SectionEntry] = field(default_factory=lambda: Newest(MOST))
    left: Left = field(default_factory=Left)
    found: list[SectionEntry] = field(default_factory=list)

    @property
    def sources(self) -> frozenset[Source]:
        """The sources that contribute to the section."""
        listed = (each.source for one in self.found for each in one.all)
        return frozenset((*listed, *(one.source for one in self.none_known)))

    @property
    def none_known(self) -> tuple[NoneKnown, ...]:
        """The statements that there is none, by provider. Empty if anything is kept back that may contradict them."""
        return () if self.left.keeps_back else tuple(self.left.none_known.values())

    def is_there(self, section: Section, choices: Iterable[Choice]) -> bool:
        """Whether the document has the section."""
        if not section.is_by_itself or self.found or self.left.withheld:
            return True
        return section.has_own_types and bool(
            self.left.unopened or any(choice.gaps.of_types(section.resource_types) for choice in choices)
        )

    def put(self, told: PresentedRecord, section: Section) -> None:
        """Make an item of an entry that belongs here. Whether it does is decided by the whole entry, before it is
        redacted."""
        entry = told.entry
        told = redacting.trimmed(told, self.left.extent) if self.left.extent.is_shared else told
        item = section.item(told)
        if item is None:
            # A condition whose status leaves it open is either current or past, and is listed in one of the two
            # sections.
            self.left.left_out += not judging.is_left_open(entry)
            return
        item = noting.noted(item, told)
        item = cautions.by_rules(item, told)
        item = cautions.heeded(item, told) if told.entry.is_modified else item
        found = SectionEntry(
            *(told.source, entry.logical_id, entry.resource_type, item, *narrating.date(entry)),
            thing="" if entry.is_modified else judging.meaning_of(entry),
            rank=section.ranks(entry),
            again=section.again(entry),
            passing=TransientState.of(entry) if section.passes(entry) else None,
        )
        self.newest.add(Ranked.by(entry, section, told.source, found))

    def settle(self, section: Section) -> None:
        """Once everything is here: sort the items. What several sources say in exactly the same words is listed once;
        if anything differs, each is listed with its provider (patient experience 3.0), since the date of one and the
        severity of another together are nobody's finding. If one source says something twice, it may mean two
        things."""
        told: Counter[tuple[bytes, Source]] = Counter()
        said: dict[tuple[bytes, int], SectionEntry] = {}
        for number, one in enumerate(self.newest.settle()):
            told[one.said, one.source] += 1
            key = (one.said, told[one.said, one.source]) if one.said else (b"", number)
            said[key] = replace(said[key], also=(*said[key].also, one)) if key in said else one
        things: dict[str | int, list[SectionEntry]] = {}
        for number, one in enumerate(said.values()):
            things.setdefault(one.thing if section.keeps_together and one.thing else number, []).append(one)
        ranked = sorted(things.values(), key=lambda alike: min(one.rank for one in alike))
        self.found = [one for alike in ranked for one in alike]


@dataclass(frozen=True, repr=False)
class Patient:
    """A Patient from one source, as received, with the resources it refers to."""

    source: Source
    resource: Element
    context: Context


def gather(choices: Sequence[Choice], extent: Extent, *, today: date) -> tuple[list[Patient], dict[str, Gathered]]:
    """The patients, and by its code what each section holds on that day, within this extent. Raises
    `apps.vault.errors.VaultError` if nothing of this person can be opened."""
    gathered = {section.loinc: Gathered(left=Left(extent)) for section in SECTIONS}
    with memoizing(), sealing.key_ring(Holder.user(choices[0].source.user_id)) as ring:
        picked, unread = _pick(choices, gathered, ring, extent)
        for choice in choices:
            _open(choice, picked, gathered, ring, today)
    off_shelves = [_read(choice, unread[choice.connection.pk], gathered, today) for choice in choices]
    patients = list(chain.from_iterable(off_shelves))
    for section in SECTIONS:
        gathered[section.loinc].settle(section)
    return patients, gathered


def _pick(
    choices: Sequence[Choice], gathered: Mapping[str, Gathered], ring: KeyRing, extent: Extent
) -> tuple[dict[str, list[Ranked[Picked]]], dict[UUID, list[Subject]]]:
    """What each section picks from all shelves, and for each connection the chosen subjects that no shelf has."""
    wanted = extent.chosen(_BY_SUBJECT)
    opened = shelved.opened(choices, wanted, ring)
    selections = {section.loinc: Selection() for section in SECTIONS}
    unread: dict[UUID, list[Subject]] = {choice.connection.pk: [] for choice in choices}
    for choice in choices:
        for subject in wanted:
            shelf = opened.get((choice.connection.pk, subject.key))
            of_shelf = _of_shelf(shelf, choice.source, subject, ring, extent)
            if of_shelf is None:
                unread[choice.connection.pk].append(subject)
            for section, selection in zip(_BY_SUBJECT[subject], of_shelf or (), strict=False):
                selections[section.loinc].add(selection)
    for loinc, selection in selections.items():
        gathered[loinc].left.add(selection.left)
        selection.newest.settle()
        gathered[loinc].newest.older += selection.newest.older
    return {loinc: selection.newest.found for loinc, selection in selections.items()}, unread


def _of_shelf(
    shelf: OpenShelf | None, source: Source, subject: Subject, ring: KeyRing, extent: Extent
) -> list[Selection] | None:
    """What each section picks from the shelf of a subject; None if it cannot be read to its end."""
    if shelf is None:
        return None
    sections, lacking = _BY_SUBJECT[subject], {source.provider} if shelf.lacks_some else set()
    selections = [Selection(left=Left(extent, unopened=set(lacking))) for _section in sections]
    try:
        for one in shelved.entries(shelf, ring):
            if one.entry is None:
                continue
            is_kept_back = extent.keeps_back(subject, one.entry, source)  # once for all: it takes longest
            for section, selection in zip(sections, selections, strict=True):
                selection.pick(Picked(source, one.record, one.entry), section, is_kept_back=is_kept_back)
    except Unreadable:
        return None
    return selections


def _open(
    choice: Choice,
    picked: Mapping[str, Iterable[Ranked[Picked]]],
    gathered: Mapping[str, Gathered],
    ring: KeyRing,
    today: date,
) -> None:
    """Read the bodies of what was picked from one connection, each once. What was withdrawn, hidden or changed since
    its shelf was built is judged by its present state."""
    wanted: dict[int, list[Section]] = {}
    for section in SECTIONS:
        for one in picked[section.loinc]:
            if one.held.source == choice.source:
                wanted.setdefault(one.held.record, []).append(section)
    for told in reading.of_records(choice.connection, choice.source, tuple(wanted), ring, today=today):
        _put(told, wanted.pop(told.record), gathered)
    for section in chain.from_iterable(wanted.values()):
        gathered[section.loinc].left.unopened.add(choice.source.provider)


def _read(
    choice: Choice, unread: Sequence[Subject], gathered: Mapping[str, Gathered], today: date
) -> Iterator[Patient]:
    """Read the Patients, and what no shelf has."""
    types, unopened = shelved.types_off_shelves(choice, unread), set[str]()
    fills: Fills[Entry] = Fills()
    wanted = ("Patient", *types)
    for told in reading.told(choice.connection, choice.source, types=wanted, unopened=unopened, today=today):
        if told.entry.resource_type == "Patient":
            yield Patient(told.source, told.resource, told.context)
        elif told.subject is None or told.subject not in unread or not _is_listed(told):
            continue
        elif not fills.keeps(told.entry, told.entry):
            _put(told, _BY_SUBJECT[told.subject], gathered)
    for entry, section in product(fills.by_themselves(), _BY_SUBJECT[MEDICINES]):  # counted there, as it lists none
        gathered[section.loinc].left.leaves(entry, section, choice.source, MEDICINES)
    lacking = {subject for name in unopened for subject in subjects.shelved_for(name)}
    for section in (section for subject in lacking & set(unread) for section in _BY_SUBJECT[subject]):
        gathered[section.loinc].left.unopened.add(choice.source.provider)


def _put(told: PresentedRecord, sections: Iterable[Section], gathered: Mapping[str, Gathered]) -> None:
    picked = tuple(sections)
    if told.subject is not None and any(section.elsewhere(told.entry) for section in picked):
        picked = _BY_SUBJECT[told.subject]  # when its shelf was built, it may have belonged to another section
    for section in picked if _is_listed(told) else ():
        held = gathered[section.loinc]
        if not held.left.leaves(told.entry, section, told.source, told.subject):
            held.put(told, section)


def _is_listed(told: PresentedRecord) -> bool:
    """Whether its subject lists it at all."""
    return not (told.entry.is_withdrawn or told.is_gone or told.entry.group == UNLISTED)
