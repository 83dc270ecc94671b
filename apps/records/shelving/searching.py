"""The search within a record: the newest entries that all, or else most, of the terms are true of.

It looks through all phrases (`word_leaves`), and opens of the entries that say them only what it shows.
"""

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, TypeVar
from uuid import UUID

import msgspec

from apps.records.presenters.datatypes.moments import When
from apps.records.shelving import fetching_leaves, indexing, matching, near_words, search_terms, word_leaves
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.fetching_leaves import Outdated
from apps.records.shelving.indexing import Phrase, Phrases, Standing
from apps.records.shelving.matching import Best, Rank
from apps.records.shelving.open_shelf import OfAnotherRelease, OpenShelf, understood
from apps.records.shelving.search_terms import MARK, Word
from apps.vault.errors import CannotOpen
from apps.vault.sealing import KeyRing

_T = TypeVar("_T")

MOST: Final = word_leaves.MOST_SHOWN  # entries that a search names


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
class SearchResult:
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


def find(
    shelves: Sequence[OpenShelf], words: Sequence[Word], ring: KeyRing, *, providers: Mapping[UUID, Collection[str]]
) -> SearchResult:
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
    return SearchResult(looked.counts, hits, searched, tuple(looked.passed_over), near)


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
        self.begun[shelf] += -(-shelf.stretch(Arrangement.WORDS).heads[number].count // word_leaves.ON_A_LEAF)

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
        self.places[shelf] += [
            (self.begun[shelf] + line // word_leaves.ON_A_LEAF, line % word_leaves.ON_A_LEAF) for line in chosen
        ]


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
