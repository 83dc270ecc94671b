"""Filtering a list by what its entries say: documents by kind or author (patient experience 3.8), everything by date by
subject. Filters by year and provider need no names, and are in `lists`.

An address contains neither a kind nor a person: it stays in the browser's history, and which kinds of documents people
have is nobody else's business. It contains a keyed mark of the name instead, always the same for the same reader and
name. For a subject it contains the subject's key, like the address of that subject's list.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from uuid import UUID

from django.utils.crypto import salted_hmac
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import plain_names
from apps.records.presenters.entry import Entry
from apps.records.shelving import document_names
from apps.records.shelving.arranging import Arrangement
from apps.records.shelving.document_names import FilterBy
from apps.records.shelving.reading import OpenShelf, Shelved
from apps.records.subjects import LISTED
from apps.records.viewing.wording import provider_codes

MARK_LENGTH: Final = 12
_AT_HAND: Final = 3  # kinds, and authors: more would push the list off a phone's screen
_KIND: Final = _("Kind")
_LABELS: Final[Mapping[FilterBy, str | Promise]] = {FilterBy.KIND: _KIND, FilterBy.AUTHOR: _("Author")}

# The number of entries that have each name, keyed by what it filters by and the name.
Counted: TypeAlias = Counter[tuple[str, str]]


@dataclass(frozen=True)
class Choice:
    """One name to choose; `is_on` if it is chosen."""

    mark: str
    name: str
    is_on: bool


@dataclass(frozen=True)
class Choices:
    """All kinds, or all authors, the most frequent first; if one is chosen, only that. `may_lack` if there may be more
    names than an index keeps: those cannot be chosen."""

    by: str
    label: str
    choices: tuple[Choice, ...]
    may_lack: bool = False

    @property
    def at_hand(self) -> tuple[Choice, ...]:
        """Those that are offered directly: all, if one more takes no more room than a fold."""
        return self.choices if len(self.choices) <= _AT_HAND + 1 else self.choices[:_AT_HAND]

    @property
    def further(self) -> tuple[Choice, ...]:
        """The others, collapsed, A to Z."""
        return tuple(sorted(self.choices[len(self.at_hand) :], key=lambda choice: choice.name.casefold()))


@dataclass(frozen=True)
class Narrowing:
    """What an address asks for: `wanted` has the one kind and the one author that were chosen, as rows show them.
    `known` are all names that can be chosen, normalized: an index keeps the most frequent. `plain` has the key of our
    name for each kind."""

    user_id: UUID
    wanted: Mapping[FilterBy, str]
    known: AbstractSet[tuple[str, str]] = frozenset()
    plain: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.wanted)

    def has(self, entry: Entry | None) -> bool:
        """Whether the entry is one of those that are wanted."""
        told = document_names.of(entry) if entry is not None else ()
        found = {(by, document_names.folded(name)) for by, name in told}
        return all((by, document_names.folded(name)) in found for by, name in self.wanted.items())

    def within(self, shelved: Sequence[Shelved]) -> tuple[Choices, ...]:
        """What to choose from if one of the two is chosen: for the other, the names that occur in the rest."""
        counted: Counted = Counter()
        lacking: set[str] = set()
        for one in shelved:
            for by, name in document_names.of(one.entry) if one.entry is not None and self.has(one.entry) else ():
                if (by, document_names.folded(name)) in self.known:
                    counted[by, name] += 1
                else:
                    lacking.add(by)
        return self._choices(counted, lacking)

    def of_all(self, shelves: Iterable[OpenShelf]) -> tuple[Choices, ...]:
        """What to choose from in the whole list."""
        shelves = list(shelves)
        kept = [(by, names) for shelf in shelves if shelf.index for by, names in shelf.index.names.items()]
        return self._choices(_counted(shelves), {by for by, names in kept if len(names) >= document_names.MOST})

    def _choices(self, counted: Counted, lacking: AbstractSet[str]) -> tuple[Choices, ...]:
        found = (
            Choices(by, str(_LABELS[by]), tuple(self._names(by, counted)), by in lacking - set(self.wanted))
            for by in FilterBy
        )
        return tuple(each for each in found if len(each.choices) > 1 or any(one.is_on for one in each.choices))

    def _names(self, by: FilterBy, counted: Counted) -> Iterator[Choice]:
        if by in self.wanted:
            yield self._choice(by, self.wanted[by], is_on=True)
            return
        named = [(_said(spelled), spelled.total()) for spelled in _spelled(by, counted)]
        for name, _count in sorted(named, key=lambda one: (-one[1], one[0].casefold())):
            yield self._choice(by, name, is_on=False)

    def _choice(self, by: FilterBy, name: str, *, is_on: bool) -> Choice:
        return Choice(mark(self.user_id, by, name), self._called(by, name), is_on)

    def _called(self, by: FilterBy, name: str) -> str:
        """The name that rows show: ours, and the provider's as well if several kinds share ours."""
        key = self.plain.get(document_names.folded(name), "") if by == FilterBy.KIND else ""
        ours = plain_names.called(key)
        if not ours:
            return provider_codes.told(name) or name
        is_only_one = Counter(self.plain.values())[key] == 1
        return ours if is_only_one or name == key else f"{ours} ({name})"


def asked(user_id: UUID, shelves: Iterable[OpenShelf], marks: Mapping[FilterBy, str]) -> Narrowing:
    """What these marks ask for. A mark that fits no name on these shelves is ignored."""
    shelves, marked = list(shelves), {by: given for by, given in marks.items() if given}
    counted = _counted(shelves) if marked else Counter()
    names = ((by, _said(spelled)) for by in marked for spelled in _spelled(by, counted))
    wanted = {by: name for by, name in names if mark(user_id, by, name) == marked[by]}
    known = {(by, document_names.folded(name)) for by, name in counted}
    return Narrowing(user_id, wanted, known, plain_kinds(shelves) if marked else {})


def of_subjects(
    shelves: Iterable[OpenShelf], arrangements: Mapping[str, Arrangement], chosen: str
) -> tuple[Choices, ...]:
    """The subjects to choose from, by number of entries; none if all entries belong to one."""
    counted: Counter[str] = Counter()
    for shelf in shelves:
        counted[shelf.subject] += sum(head.count for head in shelf.stretch(arrangements[shelf.subject]).heads)
    keys = [chosen] if chosen else [key for key, count in counted.most_common() if count]
    names = {subject.key: subject.name for subject in LISTED}
    choices = tuple(Choice(key, str(names[key]), is_on=key == chosen) for key in keys)
    return (Choices("subject", str(_KIND), choices),) if chosen or len(choices) > 1 else ()


def plain_kinds(shelves: Iterable[OpenShelf]) -> dict[str, str]:
    """By kind, the key of our name for it, if all shelves that have the kind agree on it."""
    found: dict[str, str] = {}
    for index in (shelf.index for shelf in shelves if shelf.index):
        for kind in {document_names.folded(name) for name in index.names.get(FilterBy.KIND, {})}:
            key = index.plain.get(kind, "")
            if found.setdefault(kind, key) != key:
                found[kind] = ""
    return {kind: key for kind, key in found.items() if key}


def mark(user_id: UUID, by: FilterBy, name: str) -> str:
    """What stands for a name in an address, whatever its spelling."""
    told = f"{user_id}:{document_names.folded(name)}"
    return salted_hmac(f"documents narrowed by {by}", told, algorithm="sha256").hexdigest()[:MARK_LENGTH]


def _counted(shelves: Iterable[OpenShelf]) -> Counted:
    counted: Counted = Counter()
    for shelf in shelves:
        for by, names in (shelf.index.names if shelf.index else {}).items():
            for name, count in names.items():
                counted[by, name] += count
    return counted


def _spelled(by: FilterBy, counted: Counted) -> Iterable[Counter[str]]:
    """All kinds, or all authors, each with its spellings."""
    found: dict[str, Counter[str]] = {}
    for (its, name), count in counted.items():
        if its == by:
            found.setdefault(document_names.folded(name), Counter())[name] += count
    return found.values()


def _said(spelled: Counter[str]) -> str:
    """The most frequent spelling."""
    return spelled.most_common(1)[0][0]
