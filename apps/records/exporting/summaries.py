"""The record as one page to read and print: each subject with its dates and providers, and what is missing.

It uses the words of the record's own pages, and the same shelves. What was entered in error is not shown, nor what a
provider no longer has: both are counted (patient experience 3.0). Of a long list the first part is shown, with a note;
neither time nor memory grows with the record. The page can be limited to a portion (`portions`): then recent entries
are looked for among all that have a date. A long list of tests begins with the newest value of each.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from itertools import groupby
from typing import Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext

from apps.records import shelving, subjects
from apps.records.exporting import (
    for_others,
    offered_files,
    on_paper,
    reading,
    relatives,
    results_of_grave_reports,
    shelved,
)
from apps.records.exporting.choosing import Choice
from apps.records.exporting.portions import WHOLE, Portion
from apps.records.exporting.prescription_fills import Fills
from apps.records.exporting.reading import PresentedRecord
from apps.records.exporting.shelved import Unreadable
from apps.records.exporting.subject_entries import SubjectEntries
from apps.records.presenters.entry import UNLISTED, Entry
from apps.records.presenters.memoizing import memoizing
from apps.records.presenters.persons.patient import ContactPerson
from apps.records.shelving import arranging, grave_results
from apps.records.shelving.reading import OpenShelf, Shelved
from apps.records.subjects import ALLERGIES, CONDITIONS, LISTED, MEDICINES, PATIENT, RESULTS, Order, Subject
from apps.records.viewing.listing import folding, rows
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source
from apps.records.viewing.wording import words
from apps.vault import sealing
from apps.vault.errors import CannotOpen
from apps.vault.sealing import Holder, KeyRing

# First what a reader in a hurry must not have to look for: allergies before medicines, which may take pages.
_FIRST: Final = (ALLERGIES, MEDICINES, CONDITIONS)
_ORDERED: Final = (*_FIRST, *(subject for subject in LISTED if subject not in _FIRST))


@dataclass(frozen=True)
class Group:
    """Rows under one heading; empty if there is none."""

    heading: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class List:
    """One subject, with its key and its name. `count` is the number of all entries, `shown` of those on the page.
    `is_foremost`: a doctor looks for it first, so the page must say if nothing is listed. `is_by_test` if the newest
    value of each test comes first, `lacks_tests` if there are too many tests even for that."""

    key: str
    name: str
    groups: tuple[Group, ...]
    count: int
    shown: int
    is_foremost: bool
    is_by_test: bool = False
    lacks_tests: bool = False


@dataclass(frozen=True, repr=False)
class Summary:
    """`name` and `birth_date` are the person's as confirmed, empty if none opens. `withdrawn` and `gone` are how many
    entries each provider marked as recorded by mistake, or no longer has. `unopened` are providers with entries that do
    not open, and the subjects to which these may belong. `undated` counts entries that a portion limited to recent ones
    leaves out because they have no date. `contact_persons` are shown only with the whole record; they, and the numbers
    withdrawn and gone, are only for the person whose record it is."""

    name: str
    birth_date: str
    choices: tuple[Choice, ...]
    lists: tuple[List, ...]
    withdrawn: tuple[tuple[str, int], ...]
    gone: tuple[tuple[str, int], ...]
    unopened: tuple[tuple[str, str], ...]
    portion: Portion = WHOLE
    undated: int = 0
    contact_persons: tuple[ContactPerson, ...] = ()

    @property
    def only(self) -> str:
        """The names of the subjects that were requested, if they are the minority; otherwise see `left_out`."""
        return _named(self.portion.subjects) if self._is_of_few else ""

    @property
    def left_out(self) -> str:
        """The names of the subjects that were not requested, if they are the minority."""
        return "" if self._is_of_few else _named({subject.key for subject in LISTED} - self.portion.subjects)

    @property
    def _is_of_few(self) -> bool:
        return len(self.portion.subjects) * 2 < len(LISTED)

    @property
    def late(self) -> str:
        """The names of the subjects from which older entries are left out."""
        return _named({subject.key for subject in LISTED if self.portion.limits(subject)} & self.portion.subjects)

    @property
    def told(self) -> tuple[List, ...]:
        """The lists on the page: an empty list is shown only for the foremost subjects."""
        return tuple(one for one in self.lists if one.count or one.is_foremost)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing, as far as we know."""
        return not (self.unopened or any(choice.gaps.missing or choice.gaps.is_arriving for choice in self.choices))


def _empty_lists() -> dict[str, SubjectEntries]:
    return {subject.key: SubjectEntries(arranging.listed(subject)) for subject in _ORDERED}


@dataclass
class _Gathered:
    """What was found for a portion: lists by the key of their subject, the same for what the portion leaves out as
    sensitive, and what is not shown, by provider."""

    portion: Portion
    lists: dict[str, SubjectEntries] = field(default_factory=_empty_lists)
    untold: dict[str, SubjectEntries] = field(default_factory=_empty_lists)
    withdrawn: Counter[str] = field(default_factory=Counter)
    gone: Counter[str] = field(default_factory=Counter)
    unopened: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    undated: int = 0


def summary(choices: Sequence[Choice], *, at: datetime, portion: Portion = WHOLE) -> Summary:
    """The summary of one person from these connections, or a part of it, in the language of the person who asks, as of
    now.

    Raises `apps.vault.errors.VaultError` if nothing of this person can be opened.
    """
    return _summary(choices, _gathered(choices, portion, at.date()), at)


def with_untold(choices: Sequence[Choice], *, at: datetime, portion: Portion) -> tuple[Summary, tuple[List, ...]]:
    """The same, with what it leaves out of its subjects as sensitive, as rows of the page would show it: for the person
    whose record it is, before they give the page to anybody. Raises as `summary` does."""
    gathered = _gathered(choices, portion, at.date())
    left_out = ((subject, gathered.untold[subject.key]) for subject in _ORDERED)
    untold = tuple(_list(subject, held, choices, at, WHOLE) for subject, held in left_out if held.count)
    return _summary(choices, gathered, at), untold


def _summary(choices: Sequence[Choice], gathered: _Gathered, at: datetime) -> Summary:
    portion = gathered.portion
    is_own = not portion.is_for_others
    wanted = _wanted(portion)
    contact_persons = _contact_persons(choices, gathered) if portion.is_whole and is_own else ()
    person = next((choice.person for choice in choices if choice.person is not None), None)
    return Summary(
        name=person.name if person is not None else "",
        birth_date=person.birth_date if person is not None else "",
        choices=tuple(_of_subjects(choice, wanted, portion) for choice in choices),
        lists=tuple(_list(subject, gathered.lists[subject.key], choices, at, portion) for subject in wanted),
        withdrawn=tuple((+gathered.withdrawn).items()) if is_own else (),
        gone=tuple((+gathered.gone).items()) if is_own else (),
        unopened=tuple((provider, _named(lacking)) for provider, lacking in sorted(gathered.unopened.items())),
        portion=portion,
        undated=gathered.undated,
        contact_persons=contact_persons,
    )


def _wanted(portion: Portion) -> list[Subject]:
    return [subject for subject in _ORDERED if subject.key in portion.subjects]


def _contact_persons(choices: Sequence[Choice], gathered: _Gathered) -> tuple[ContactPerson, ...]:
    """Those from all providers, each once."""
    found: dict[ContactPerson, None] = {}
    for choice in choices:
        try:
            told = shelving.patients(choice.connection) or ()
        except (CannotOpen, msgspec.MsgspecError):
            gathered.unopened[choice.source.provider].add(PATIENT.key)
            continue
        found |= dict.fromkeys(person for patient in told for person in patient.contact_persons)
    return tuple(found)


def _of_subjects(choice: Choice, wanted: Sequence[Subject], portion: Portion) -> Choice:
    """The choice with gaps only for these subjects. Other readers are not told that a provider sent nothing of
    a subject: another provider, for which the page does not say so, would be known to have sent something."""
    gaps = choice.gaps if portion.subjects >= WHOLE.subjects else choice.gaps.of_subjects(wanted)
    return replace(choice, gaps=gaps.of_what_should_be() if portion.is_for_others else gaps)


def _named(keys: Container[str]) -> str:
    return ", ".join(str(subject.name) for subject in (*_ORDERED, PATIENT) if subject.key in keys)


def _gathered(choices: Sequence[Choice], portion: Portion, today: date) -> _Gathered:
    """Read shelves and, for what is on none, the records themselves."""
    gathered, wanted = _Gathered(portion), _wanted(portion)
    with sealing.key_ring(Holder.user(choices[0].source.user_id)) as ring:
        opened = shelved.opened(choices, wanted, ring)
        unread: dict[UUID, list[Subject]] = {choice.connection.pk: [] for choice in choices}
        for subject in wanted:
            found = [opened[choice.connection.pk, subject.key] for choice in choices
                     if (choice.connection.pk, subject.key) in opened]  # fmt: skip
            is_read = _read_shelves(found, choices, gathered, subject, ring)
            for choice in choices:
                if not is_read or (choice.connection.pk, subject.key) not in opened:
                    unread[choice.connection.pk].append(subject)
    for choice in choices:
        _read_records(choice, unread[choice.connection.pk], gathered, today)
    return gathered


def _read_shelves(
    found: Sequence[OpenShelf], choices: Sequence[Choice], gathered: _Gathered, subject: Subject, ring: KeyRing
) -> bool:
    """Whether the shelves of this subject could be read; otherwise nothing is taken from them."""
    held, indexes = gathered.lists[subject.key], [shelf.index for shelf in found if shelf.index is not None]
    try:
        if gathered.portion.sifts(subject):
            sifted, left_out, undated = _sifted(found, subject, gathered.portion, ring)
            gathered.undated += undated
            held.add_all(sifted)
            gathered.untold[subject.key].add_all(left_out)
        elif gathered.portion.limits(subject):
            late = _late(found, subject, gathered.portion, ring)
            gathered.undated += sum(index.years.get("", 0) for index in indexes)
            held.add_all(late)
        else:
            held.add_first(found, ring)
    except Unreadable:
        return False
    providers = {choice.connection.pk: choice.source.provider for choice in choices}
    for shelf in found:
        if shelf.index is not None:
            gathered.withdrawn[providers[shelf.connection_id]] += shelf.index.withdrawn
            gathered.gone[providers[shelf.connection_id]] += shelf.index.gone
        if shelf.lacks_some:
            gathered.unopened[providers[shelf.connection_id]].add(subject.key)
    return True


def _late(found: Sequence[OpenShelf], subject: Subject, portion: Portion, ring: KeyRing) -> SubjectEntries:
    """What the portion holds of these shelves. All entries are examined: a hospital stay that began long ago may still
    be going on."""
    held = SubjectEntries(arranging.listed(subject))
    for one in shelved.newest(found, subject, ring):
        if one.entry is not None and portion.holds(subject, one.entry):
            held.add(one._replace(key=held.order(one.entry, one.record)))
    return held


def _sifted(
    found: Sequence[OpenShelf], subject: Subject, portion: Portion, ring: KeyRing
) -> tuple[SubjectEntries, SubjectEntries, int]:
    """The same if entries are selected by what they say; also what is left out for that reason, and how many of those
    that could be included have no date. All entries are examined, as no index knows what they say."""
    held, left_out, undated = SubjectEntries(arranging.listed(subject)), SubjectEntries(arranging.listed(subject)), 0
    with memoizing():  # most results have one of fifty names
        for one in (one for shelf in found for one in shelved.entries(shelf, ring)):
            if one.entry is None:
                continue
            is_in_time = portion.is_in_time(subject, one.entry)
            is_undated = _lacks_its_date(portion, subject, one.entry)
            if not (is_in_time or is_undated):
                continue
            is_told = portion.tells(subject, one.entry, is_of_grave=one.is_of_grave)
            undated += is_told and is_undated
            if is_in_time:
                (held if is_told else left_out).add(one)
    return held, left_out, undated


def _lacks_its_date(portion: Portion, subject: Subject, entry: Entry) -> bool:
    return portion.limits(subject) and not arranging.year(entry)


def _read_records(choice: Choice, unread: Sequence[Subject], gathered: _Gathered, today: date) -> None:
    """The same from the records, where fills of a prescription that is here are not listed, either."""
    fills: Fills[PresentedRecord] = Fills()
    unopened, of_grave = set[str](), set[str]()
    hidden = _belonging_to_grave(choice, unread, gathered.portion, today)
    types = shelved.types_off_shelves(choice, unread)
    read = partial(reading.told, choice.connection, choice.source, unopened=unopened, today=today)
    found = read(types=types) if types else ()
    for told in found:
        if told.subject is None or told.subject not in unread or told.entry.group == UNLISTED:
            continue
        of_grave.update(grave_results.named_by(told.entry))
        if told.entry.is_withdrawn:
            gathered.withdrawn[choice.source.provider] += 1
        elif told.is_gone:
            gathered.gone[choice.source.provider] += 1
        elif not fills.keeps(told.entry, told):
            _add(choice, told.subject, told, gathered, is_of_grave=results_of_grave_reports.belongs(told.entry, hidden))
    for told in fills.by_themselves():
        _add(choice, MEDICINES, told, gathered)
    _mark(choice, of_grave, gathered.lists[RESULTS.key], gathered.untold[RESULTS.key])
    lacking = {subject for name in unopened for subject in subjects.shelved_for(name)}
    for subject in lacking & set(unread):
        gathered.unopened[choice.source.provider].add(subject.key)


def _belonging_to_grave(choice: Choice, unread: Sequence[Subject], portion: Portion, today: date) -> frozenset[str]:
    """The results to leave out because of the report that they belong to; empty if the portion leaves out none."""
    if RESULTS not in unread or not portion.sifts(RESULTS):
        return frozenset()
    with sealing.key_ring(Holder.user(choice.source.user_id)) as ring:
        return results_of_grave_reports.by_records(choice, ring, today=today)


def _mark(choice: Choice, of_grave: AbstractSet[str], *lists: SubjectEntries) -> None:
    """Mark the results that belong to what may carry grave news, as their index would."""
    if not of_grave:
        return
    with sealing.key_ring(Holder.user(choice.source.user_id)) as ring:
        listed = grave_results.listed(choice.connection, of_grave, ring)

    def is_listed(one: Shelved) -> bool:
        path = f"{one.entry.resource_type}/{one.entry.logical_id}" if one.entry is not None else ""
        return one.connection_id == choice.connection.pk and path in listed

    for held in lists:
        held.mark(is_listed)


def _add(
    choice: Choice, subject: Subject, told: PresentedRecord, gathered: _Gathered, *, is_of_grave: bool = False
) -> None:
    portion = gathered.portion
    is_told = portion.tells(subject, told.entry, is_of_grave=is_of_grave)
    gathered.undated += is_told and _lacks_its_date(portion, subject, told.entry)
    if not portion.is_in_time(subject, told.entry):
        return
    held = (gathered.lists if is_told else gathered.untold)[subject.key]
    key = held.order(told.entry, told.record)  # as on its shelf: of equal entries, the one stored first comes first
    held.add(Shelved(told.record, choice.connection.pk, subject.key, key, told.entry))


def _list(subject: Subject, held: SubjectEntries, choices: Sequence[Choice], at: datetime, portion: Portion) -> List:
    newest, others = held.shown()
    # All at once: what came in two ways is one row, even if only one of them is the newest value of its test.
    found = [*newest, *others]
    if portion.is_for_others:
        found = [for_others.told(one) for one in relatives.left_out(found, choices, today=at.date())]
    paired = rows.paired(found, _sources(choices), at=at, on_paper=True, for_others=portion.is_for_others)
    listed = [(one, on_paper.in_full(one, row)) for one, row in paired]
    told = offered_files.beside(listed, portion.file_address, user_id=choices[0].source.user_id)
    if not newest:
        shown = folding.fold(told) if subject.order is Order.NAMED else tuple(row for _one, row in told)
        groups, is_foremost = _groups(subject, shown), subject in _FIRST
        return List(subject.key, str(subject.name), groups, held.count, len(others), is_foremost)
    foremost = {one.record for one in newest}
    first = tuple(row for one, row in told if one.record in foremost)
    then = tuple(row for one, row in told if one.record not in foremost)
    groups = (Group(gettext("The newest value of each test"), first), Group(gettext("Others, newest first"), then))
    return List(
        key=subject.key,
        name=str(subject.name),
        groups=groups if then else groups[:1],
        count=held.count,
        shown=len(newest) + len(others),
        is_foremost=subject in _FIRST,
        is_by_test=True,
        lacks_tests=held.tests > len(newest),
    )


def _groups(subject: Subject, shown: Iterable[Row]) -> tuple[Group, ...]:
    def heading(row: Row) -> str:
        return words.of_group(subject.key, row.group) if subject.groups else ""

    return tuple(Group(name, tuple(alike)) for name, alike in groupby(shown, key=heading))


def _sources(choices: Sequence[Choice]) -> Mapping[UUID, Source]:
    return {
        choice.connection.pk: Source(choice.connection, choice.source.checked_at, is_out_of_date=False)
        for choice in choices
    }
