"""Search within a record: the newest entries that match all, or else most, of the terms.

It looks through all phrases (`word_leaves`), and opens only those entries that it shows.
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

MOST: Final = word_leaves.MOST_SHOWN  # entries that a search shows


@dataclass(frozen=True)
class Hit:
    """An entry that was found, its shelf, and what is shown of it."""

    key: Key
    shelf: OpenShelf
    title: str
    plain: str
    when: When
    standing: Standing

    @property
    def record(self) -> int:
        """The record whose page it leads to."""
        return self.key[3]


@dataclass(frozen=True)
class SearchResult:
    """How many entries were found, by which of the words they match, and the newest of them, newest first. `searched`
    is how many were looked through, as lists count them: fills are counted with their prescription. `passed_over` are
    shelves with entries that could not be searched, or not completely: an earlier release built them, or a leaf does
    not open. `near` are words similar to those that occur in no name."""

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
    """Every entry that matches all these words; if there is none, those that match the most. `providers` has, by
    connection, the parts of the name of each provider. Two queries, or one if nothing is found.

    Raises `fetching_leaves.Outdated` if a shelf was rebuilt meanwhile, or if all shelves with entries still have to be
    rebuilt by this release, and `apps.vault.errors.VaultError` if a key is missing, or if nothing could be searched
    because leaves do not open.
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
    """The shelves to search, and the others that have entries. Raises `fetching_leaves.Outdated` if only those have
    any."""
    open_ones = [(shelf, shelf.index) for shelf in shelves if shelf.index is not None]
    chosen = [shelf for shelf, index in open_ones if index.is_searchable]
    passed_over = [shelf for shelf, index in open_ones if not index.is_searchable and index.count]
    if passed_over and not any(index.count for _shelf, index in open_ones if index.is_searchable):
        raise Outdated
    return chosen, passed_over


@dataclass
class _Looked:
    """What was found so far while leaves pass by: how many entries, by which of the words they match, and for each
    shelf the leaf and place of each phrase that the newest entries have. Only the best rank so far is kept. `begun` is
    the number of the `FOUND` leaf with which the next leaf of words begins. `lines` are those that were searched, as
    long as no entry has every word."""

    words: Sequence[Word]
    passed_over: dict[OpenShelf, None]
    rank: Rank = matching.LOWEST
    counts: Counter[tuple[Word, ...]] = field(default_factory=Counter)
    places: dict[OpenShelf, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    begun: dict[OpenShelf, int] = field(default_factory=lambda: defaultdict(int))
    lines: list[bytes] = field(default_factory=list)

    def look_through(self, shelf: OpenShelf, number: int, phrases: Phrases | None, provider: Collection[str]) -> None:
        if phrases is None or not self._can_answer(phrases):
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
        """Whether any entry matches every word."""
        return bool(self.counts) and self.rank.words == len(self.words)

    def _can_answer(self, phrases: Phrases) -> bool:
        """Whether the leaf can answer: an earlier release wrote lines without their year."""
        return not (any(word.year for word in self.words) and phrases.lines.endswith(MARK.encode()))

    def _note(self, shelf: OpenShelf, phrases: Phrases, best: Best) -> None:
        if best.rank > self.rank:
            self.rank = best.rank
            self.counts.clear()
            self.places.clear()
        for true, lines in best.lines.items():
            self.counts[true] += sum(phrases.counts[line] for line in lines)
        # phrases are in the order of their newest entry, so no later phrase of a shelf has an entry among the newest of
        # all
        chosen = heapq.nsmallest(MOST - len(self.places[shelf]), itertools.chain(*best.lines.values()))
        self.places[shelf] += [
            (self.begun[shelf] + line // word_leaves.ON_A_LEAF, line % word_leaves.ON_A_LEAF) for line in chosen
        ]


def _understood(read: Callable[[bytes], _T], leaf: bytes | None) -> _T | None:
    """Decode the leaf; None if it does not open, or is of another release."""
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
