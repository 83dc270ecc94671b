"""The search within a record: what it looks through, and how.

Every search opens all words of all entries, so there must be few: what several entries say alike, a phrase, is stored
once. Leaves of `Arrangement.WORDS` have a line for each phrase, leaves of `Arrangement.FOUND` the entries that say it;
of these a search opens only what it shows. Everything is sealed, and nothing in the database is ordered by a word or a
part of one.
"""

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, NamedTuple, TypeVar
from uuid import UUID

import msgspec
from msgspec.structs import replace

from apps.records.presenters import absences, date_meanings, plain_names
from apps.records.presenters.care_plans import PLAIN_WORDS as PLANS
from apps.records.presenters.care_plans import CarePlanEntry
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import NOT_GIVEN, Code, Entry
from apps.records.presenters.family import FamilyEntry
from apps.records.presenters.immunizations import ImmunizationEntry
from apps.records.presenters.memoizing import memoized
from apps.records.presenters.normalizing import normalized
from apps.records.presenters.plain_names import illnesses
from apps.records.presenters.visits import VisitEntry
from apps.records.shelving import arranging, fetching_leaves, indexing, matching, near_words, search_terms
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.fetching_leaves import Outdated
from apps.records.shelving.indexing import Head, Phrase, Phrases, Standing, Words
from apps.records.shelving.matching import Best, Rank
from apps.records.shelving.open_shelf import OfAnotherRelease, OpenShelf, understood
from apps.records.shelving.search_terms import MARK, Word
from apps.vault.errors import CannotOpen
from apps.vault.sealing import KeyRing

_T = TypeVar("_T")

MOST: Final = 50  # entries that a search names

_LONGEST: Final = 400
_LONGEST_TITLE: Final = 120
_LONGEST_DATE: Final = 40  # where it was sent as a text
_MOST_PEOPLE: Final = 5  # of an entry
_KIND: Final = "="  # begins no key of a name of ours
_LONGEST_CODE: Final = 60
_A_LEAF: Final = 100  # phrases, of which a search shows a few
_MOST_KEPT: Final = 4000  # entries held at once while leaves are made
_LARGEST: Final = 500_000  # letters on a leaf of words


@dataclass(frozen=True)
class Hit:
    """An entry that was found, on which shelf, and what is shown of it."""

    key: Key
    shelf: OpenShelf
    title: str
    plain: str
    when: When
    standing: Standing

    @property
    def record(self) -> int:
        """Whose page it leads to."""
        return self.key[3]


@dataclass(frozen=True)
class Found:
    """How many entries were found, by which of the words are true of them, and the newest of all, newest first.
    `searched` is how many were looked through, as lists count them: with each prescription what was filled for it.
    `passed_over` are shelves with entries that could not be, or not wholly: an earlier release built them, or a leaf
    does not open. `near` are words close to those that nothing is called by."""

    counts: Mapping[tuple[Word, ...], int]
    newest: tuple[Hit, ...]
    searched: int
    passed_over: tuple[OpenShelf, ...]
    near: Mapping[Word, tuple[str, ...]]

    @property
    def count(self) -> int:
        """How many were found."""
        return sum(self.counts.values())


class Made(NamedTuple):
    """A leaf of words with what the index knows of it, and the leaves that say which entries say them."""

    head: Head
    words: bytes
    found: list[bytes]


def written(entry: Entry) -> bytes:
    """The words of one entry."""
    title, key, words = _found_by(*_called(entry), entry.resource_type, entry.codes, entry.people[:_MOST_PEOPLE])
    told = type(entry).__name__, entry.status, entry.group, date_meanings.of(entry), entry.language
    standing = Standing(*told, is_modified=entry.is_modified)
    when = replace(entry.when, text=entry.when.text[:_LONGEST_DATE])
    return msgspec.json.encode(Words(title, key, indexing.write_when(when), words, standing))


@memoized
def _found_by(
    title: str, key: str, resource_type: str, codes: tuple[Code, ...], people: tuple[str, ...]
) -> tuple[str, str, str]:
    """What is shown of it, the key of our own name for it, and the words that it is found by."""
    plain = plain_names.of_resource(resource_type, codes)
    key = plain.key if plain else key
    displays = (code.display for code in codes)
    ours = (str(plain.words), *plain.terms) if plain else ()
    said = " ".join(filter(None, dict.fromkeys((title, *ours, *displays, *people))))
    keys = MARK.join(key.split(","))
    return title[:_LONGEST_TITLE], key, f"{normalized(said)[:_LONGEST]}{MARK}{keys}{MARK}"


def _called(entry: Entry) -> tuple[str, str]:
    """Its title, and the key of what lists call it: of a vaccine, what it is against; of what says that there is none,
    what there is none of. What has no title may be a visit, which is called by what sort of visit it was, or about a
    relative: by the provider's words, else by ours; all else is called by its kind, or by the code it came with."""
    if entry.is_known_absence and (absence := absences.known_absence(entry.codes, entry.title)) is not None:
        return entry.title, absences.key_of(absence)
    if isinstance(entry, ImmunizationEntry) and not entry.is_withheld:
        return entry.title, illnesses.key_of(entry.illnesses)
    if isinstance(entry, CarePlanEntry) and (code := next((one.code for one in entry.codes if one.code in PLANS), "")):
        return entry.title, _of_kind(entry, code)
    if entry.title or entry.is_withheld:
        return entry.title, ""
    if isinstance(entry, VisitEntry):
        return entry.class_said, "" if entry.class_said else entry.kind
    if isinstance(entry, FamilyEntry) and entry.relative != NOT_GIVEN:
        return "", entry.relative
    return "", _of_kind(entry, next((one.code for one in entry.codes if one.code), ""))


def _of_kind(entry: Entry, code: str) -> str:
    """What is kept of one that lists call by what kind of entry it is, or by a code."""
    return f"{_KIND}{entry.resource_type}{_KIND}{code[:_LONGEST_CODE]}"


def read_kind(key: str) -> tuple[str, str] | None:
    """The type and the code that are kept of such an entry; None for any other key."""
    resource_type, _mark, code = key.removeprefix(_KIND).partition(_KIND)
    return (resource_type, code) if key.startswith(_KIND) else None


@dataclass
class _Said:
    """A phrase while leaves are made. Of the entries that say it, only the newest can ever be shown."""

    words: Words
    year: str
    count: int = 0
    entries: list[tuple[Key, msgspec.Raw]] = field(default_factory=list)


def leaves(rows: Iterator[tuple[Key, bytes]]) -> Iterator[Made]:
    """The leaves of one shelf, from what `written` gave for each entry, newest first. Some thousand entries are held at
    once: what is said again later is a phrase once more, and so is what is said in another year."""
    said: dict[tuple[str, str, Standing, str], _Said] = {}
    kept = size = 0
    for key, row in rows:
        words = _READ_WORDS(row)
        year = arranging.year_in(key)
        alike = words.words, words.title, words.standing, year
        phrase = said.get(alike)
        if phrase is None:
            phrase = said[alike] = _Said(words, year)
            size += len(words.words)
        phrase.count += 1
        if len(phrase.entries) < MOST:
            phrase.entries.append((key, words.when))
            kept += 1
        if kept >= _MOST_KEPT or size >= _LARGEST:
            yield _made(list(said.values()))
            said, kept, size = {}, 0, 0
    if said:
        yield _made(list(said.values()))


_READ_WORDS: Final = msgspec.json.Decoder(Words).decode


def _made(said: Sequence[_Said]) -> Made:
    lines = [f"{one.words.words}{search_terms.year_mark(one.year)}" for one in said]
    words = indexing.write_phrases([one.count for one in said], lines)
    phrases = [Phrase(one.words.title, one.words.plain, tuple(one.entries), one.words.standing) for one in said]
    found = [msgspec.json.encode(phrases[start : start + _A_LEAF]) for start in range(0, len(phrases), _A_LEAF)]
    return Made(Head(len(said), said[0].entries[0][0]), words, found)


def find(
    shelves: Sequence[OpenShelf], words: Sequence[Word], ring: KeyRing, *, providers: Mapping[UUID, Collection[str]]
) -> Found:
    """Every entry that all these words are true of; where there is none, those that the most are true of. `providers`
    are those the shelves come from, by connection: the parts of the name of each. Two queries, one where nothing is.

    Raises `fetching_leaves.Outdated` where a shelf was built anew meanwhile, or where all that have entries are still
    to be built by this release, and `apps.vault.errors.VaultError` where a key is missing, or nothing could be looked
    through because leaves do not open.
    """
    chosen, passed_over = _searchable(shelves)
    looked = _Looked(words, dict.fromkeys(passed_over))
    for shelf, number, leaf in fetching_leaves.every(chosen, Arrangement.WORDS, ring):
        looked.look_through(
            shelf, number, _understood(indexing.read_phrases, leaf), providers.get(shelf.connection_id, ())
        )
    entries = ((*entry, shelf, phrase) for shelf, phrase in _phrases(looked, ring) for entry in phrase.entries)
    newest = heapq.nsmallest(MOST, entries, key=itemgetter(0))
    hits = tuple(_hit(*found) for found in newest)
    searched = sum(shelf.index.count for shelf in chosen if shelf.index and shelf not in looked.passed_over)
    if not searched and len(looked.passed_over) > len(passed_over):
        raise CannotOpen
    near = {} if looked.has_all else near_words.of(words, looked.lines, providers=providers.values())
    return Found(looked.counts, hits, searched, tuple(looked.passed_over), near)


def _hit(key: Key, when: msgspec.Raw, shelf: OpenShelf, said: Phrase) -> Hit:
    return Hit(key, shelf, said.title, said.plain, understood(indexing.read_when, when), said.standing)


def _searchable(shelves: Sequence[OpenShelf]) -> tuple[list[OpenShelf], list[OpenShelf]]:
    """The shelves to search, and the others that have entries. Raises `fetching_leaves.Outdated` where only those have
    some."""
    open_ones = [(shelf, shelf.index) for shelf in shelves if shelf.index is not None]
    chosen = [shelf for shelf, index in open_ones if index.is_searchable]
    passed_over = [shelf for shelf, index in open_ones if not index.is_searchable and index.count]
    if passed_over and not any(index.count for _shelf, index in open_ones if index.is_searchable):
        raise Outdated
    return chosen, passed_over


@dataclass
class _Looked:
    """What was found while leaves pass by: how many entries, by which of the words are true of them, and of each shelf
    on which leaves and places the phrases of the newest stand. Only what the most words are true of is found. `begun`
    is the leaf that has the first phrase of the next leaf of words. `lines` are those that passed by, while none has
    every word."""

    words: Sequence[Word]
    passed_over: dict[OpenShelf, None]
    rank: Rank = matching.LOWEST
    counts: Counter[tuple[Word, ...]] = field(default_factory=Counter)
    places: dict[OpenShelf, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    begun: dict[OpenShelf, int] = field(default_factory=lambda: defaultdict(int))
    lines: list[bytes] = field(default_factory=list)

    def look_through(self, shelf: OpenShelf, number: int, phrases: Phrases | None, provider: Collection[str]) -> None:
        if phrases is None or not self._is_told_by(phrases):
            self.passed_over[shelf] = None
        else:
            around = search_terms.around(self.words, subject=shelf.subject, provider=provider)
            self._note(shelf, phrases, matching.best(phrases.lines, self.words, around, self.rank))
            self.lines.append(phrases.lines)
        if self.has_all:
            self.lines.clear()
        self.begun[shelf] += -(-shelf.stretch(Arrangement.WORDS).heads[number].count // _A_LEAF)

    @property
    def has_all(self) -> bool:
        """Whether any entry has every word."""
        return bool(self.counts) and self.rank.words == len(self.words)

    def _is_told_by(self, phrases: Phrases) -> bool:
        """Whether such a leaf can tell: an earlier release wrote lines without their year."""
        return not (any(word.year for word in self.words) and phrases.lines.endswith(MARK.encode()))

    def _note(self, shelf: OpenShelf, phrases: Phrases, best: Best) -> None:
        if best.rank > self.rank:
            self.rank = best.rank
            self.counts.clear()
            self.places.clear()
        for true, lines in best.lines.items():
            self.counts[true] += sum(phrases.counts[line] for line in lines)
        # in the order of their newest entry: of one shelf, no later phrase has an entry among the newest of all
        chosen = heapq.nsmallest(MOST - len(self.places[shelf]), itertools.chain(*best.lines.values()))
        self.places[shelf] += [(self.begun[shelf] + line // _A_LEAF, line % _A_LEAF) for line in chosen]


def _understood(read: Callable[[bytes], _T], leaf: bytes | None) -> _T | None:
    """What the leaf holds; None where it does not open, or is of another release."""
    try:
        return None if leaf is None else understood(read, leaf)
    except OfAnotherRelease:
        return None


def _phrases(looked: _Looked, ring: KeyRing) -> Iterator[tuple[OpenShelf, Phrase]]:
    """The phrases at the places that were found, as far as their leaves open."""
    wanted = {shelf: {leaf for leaf, _place in found} for shelf, found in looked.places.items()}
    opened = fetching_leaves.these(wanted, Arrangement.FOUND, ring)
    for shelf, found in looked.places.items():
        for leaf, several in itertools.groupby(found, key=itemgetter(0)):
            phrases = _understood(indexing.read_phrase_list, opened[shelf, leaf])
            if phrases is None:
                looked.passed_over[shelf] = None
                continue
            for _leaf, place in several:
                yield shelf, understood(indexing.read_phrase, phrases[place])
