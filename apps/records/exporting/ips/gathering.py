"""What goes into each section, gathered from every chosen source: from shelves, and of what they pick the bodies.

A shelf that cannot be read is replaced by the records themselves, with the same outcome.
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
    """One item, the date in its line of the narrative with what that is of, and which resource of which source it was
    made from. `thing` is what it is of, `rank` how early to tell it, `again` what it shares with what was done as it
    was, and `transient_states` tells when it was so, of what may be so no more. `also` are the same in every word, with
    what they were made from."""

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
        """This, and what says the same, in the order of the sources."""
        return tuple(sorted((self, *self.also), key=lambda one: one.source.number))

    @property
    def providers(self) -> str:
        """Who says so."""
        return ", ".join(dict.fromkeys(each.source.provider for each in self.all))

    @property
    def said(self) -> bytes:
        """All that it says, to people and to programs. Empty where it says more by what it refers to, or may be turned
        around: then it is alike to nothing."""
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
        """Those that say something here."""
        listed = (each.source for one in self.found for each in one.all)
        return frozenset((*listed, *(one.source for one in self.none_known)))

    @property
    def none_known(self) -> tuple[NoneKnown, ...]:
        """By which providers it was recorded that there is none: nothing of that, where something is kept back that
        may be what there should be none of."""
        return () if self.left.keeps_back else tuple(self.left.none_known.values())

    def is_there(self, section: Section, choices: Iterable[Choice]) -> bool:
        """Whether the document has the section."""
        if not section.is_by_itself or self.found or self.left.withheld:
            return True
        return section.has_own_types and bool(
            self.left.unopened or any(choice.gaps.of_types(section.resource_types) for choice in choices)
        )

    def put(self, told: PresentedRecord, section: Section) -> None:
        """Make an item of what belongs here. What it is for the section is told by all of the entry."""
        entry = told.entry
        told = redacting.trimmed(told, self.left.extent) if self.left.extent.is_shared else told
        item = section.item(told)
        if item is None:
            # A condition that its status left open is of now or of the past, and stands in one of the two sections.
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
        """All is here: what is left of it, in its order. What several say in the very same words stands once; where a
        single one differs, each stands by itself with who said it (patient experience 3.0): a date of one provider and
        a severity of another are nobody's finding. What one says twice it may mean twice."""
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
    """A Patient of one source, as received, and what it refers to."""

    source: Source
    resource: Element
    context: Context


def gather(choices: Sequence[Choice], extent: Extent, *, today: date) -> tuple[list[Patient], dict[str, Gathered]]:
    """The patients, and what each section holds by its code on that day, to this extent. Raises
    `apps.vault.errors.VaultError` where nothing of this person can be opened."""
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
    """What each section picked of all shelves, and the subjects of each connection that no shelf tells of; of those
    that were chosen."""
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
    """What each section picks of the shelf of a subject; None where it cannot be read to its end."""
    if shelf is None:
        return None
    sections, lacking = _BY_SUBJECT[subject], {source.provider} if shelf.lacks_some else set()
    selections = [Selection(left=Left(extent, unopened=set(lacking))) for _section in sections]
    try:
        for one in shelved.entries(shelf, ring):
            if one.entry is None:
                continue
            is_kept_back = extent.keeps_back(subject, one.entry, source)  # of all alike: it takes longest
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
    """Read the bodies of what was picked of one connection, each once. What was withdrawn, hidden or changed since its
    shelf was built is judged as it stands now."""
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
    """The Patients, and what no shelf tells of."""
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
    for entry, section in product(fills.by_themselves(), _BY_SUBJECT[MEDICINES]):  # which lists none: they are counted
        gathered[section.loinc].left.leaves(entry, section, choice.source, MEDICINES)
    lacking = {subject for name in unopened for subject in subjects.shelved_for(name)}
    for section in (section for subject in lacking & set(unread) for section in _BY_SUBJECT[subject]):
        gathered[section.loinc].left.unopened.add(choice.source.provider)


def _put(told: PresentedRecord, sections: Iterable[Section], gathered: Mapping[str, Gathered]) -> None:
    picked = tuple(sections)
    if told.subject is not None and any(section.elsewhere(told.entry) for section in picked):
        picked = _BY_SUBJECT[told.subject]  # it was another section's when its shelf was built
    for section in picked if _is_listed(told) else ():
        held = gathered[section.loinc]
        if not held.left.leaves(told.entry, section, told.source, told.subject):
            held.put(told, section)


def _is_listed(told: PresentedRecord) -> bool:
    """Whether its subject lists it at all."""
    return not (told.entry.is_withdrawn or told.is_gone or told.entry.group == UNLISTED)
