"""The record as one page to read and print: each subject with its dates and providers, and what is missing.

Words are those of the record's own pages. Entered in error is not shown, nor what a provider no longer has: both are
counted (patient experience 3.0). Of a long list the first part is shown, and it says so; memory does not grow with the
record.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from uuid import UUID

from apps.records.exporting import reading
from apps.records.exporting.choosing import Choice
from apps.records.exporting.reading import Told
from apps.records.presenters.entry import Entry
from apps.records.shelving import arranging
from apps.records.shelving.arranging import Key
from apps.records.shelving.reading import Shelved
from apps.records.subjects import LISTED, Subject
from apps.records.viewing import rows, words
from apps.records.viewing.rows import Row
from apps.records.viewing.whole import Source

MOST = 200


@dataclass(frozen=True)
class Group:
    """Rows under one heading; empty where there is none to say."""

    heading: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class List:
    """One subject. `count` is of all there are, `shown` of those on the page; `missing` is the ledger's sentences."""

    name: str
    groups: tuple[Group, ...]
    count: int
    shown: int
    missing: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Summary:
    """`name` and `birth_date` are the person's as confirmed, empty where none opens. `withdrawn` and `gone` are how
    many entries each provider marked as recorded by mistake, or has no more."""

    name: str
    birth_date: str
    choices: tuple[Choice, ...]
    lists: tuple[List, ...]
    withdrawn: tuple[tuple[str, int], ...]
    gone: tuple[tuple[str, int], ...]


@dataclass
class _Held:
    """The first entries of one subject in its own order, as far as read."""

    order: Callable[[Entry, int], Key]
    found: list[Shelved] = field(default_factory=list)
    count: int = 0

    def add(self, shelved: Shelved) -> None:
        self.found.append(shelved)
        self.count += 1
        if len(self.found) > MOST * 4:
            self.settle()

    def settle(self) -> None:
        self.found = sorted(self.found, key=lambda one: one.key)[:MOST]


def summary(choices: Sequence[Choice]) -> Summary:
    """The summary of one person from these connections, in the language of whoever asks.

    Raises `apps.vault.errors.VaultError` where nothing of this person can be opened.
    """
    held = {subject.key: _Held(arranging.listed(subject)) for subject in LISTED}
    withdrawn: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    for choice in choices:
        for told in reading.told(choice.connection, choice.source):
            if told.entry.is_withdrawn:
                withdrawn[choice.source.provider] += 1
            elif told.is_gone:
                gone[choice.source.provider] += 1
            elif told.subject is not None and told.subject.key in held:
                _hold(held[told.subject.key], told)
    person = next((choice.person for choice in choices if choice.person is not None), None)
    return Summary(
        name=person.name if person is not None else "",
        birth_date=person.birth_date if person is not None else "",
        choices=tuple(choices),
        lists=tuple(_list(subject, held[subject.key], choices) for subject in LISTED),
        withdrawn=tuple(withdrawn.items()),
        gone=tuple(gone.items()),
    )


def _hold(held: _Held, told: Told) -> None:
    subject = told.subject.key if told.subject is not None else ""
    key = held.order(told.entry, held.count)
    held.add(Shelved(0, told.source.connection_id, subject, key, told.entry))


def _list(subject: Subject, held: _Held, choices: Sequence[Choice]) -> List:
    held.settle()
    shown = rows.of(held.found, _sources(choices))
    missing = (
        f"{choice.source.provider}: {one.sentence}"
        for choice in choices
        for one in choice.gaps.missing
        if one.subject == str(subject.name)
    )
    return List(str(subject.name), _groups(subject, shown), held.count, len(held.found), tuple(missing))


def _groups(subject: Subject, shown: Iterable[Row]) -> tuple[Group, ...]:
    def heading(row: Row) -> str:
        return words.of_group(subject.key, row.group) if subject.groups else ""

    return tuple(Group(name, tuple(alike)) for name, alike in groupby(shown, key=heading))


def _sources(choices: Sequence[Choice]) -> Mapping[UUID, Source]:
    return {
        choice.connection.pk: Source(choice.connection, choice.source.checked_at, is_out_of_date=False)
        for choice in choices
    }
