"""What a search within a record looks through.

Every search opens all words of all entries, so they are few: what entries say alike stands there once, a phrase. Leaves
of `Arrangement.WORDS` hold a line for each phrase, those of `Arrangement.FOUND` which entries say it, and of these a
search opens what it shows. All of it is sealed, and nothing in the database is arranged by a word or a part of one.
"""

import heapq
import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec

from apps.records.presenters import plain_names
from apps.records.presenters.entry import Entry
from apps.records.shelving import indexing, reading
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.indexing import Head, Phrase, Words
from apps.records.shelving.reading import OpenShelf
from apps.vault.sealing import KeyRing

MOST: Final = 50  # entries that a search names

_LONGEST: Final = 400
_LONGEST_TITLE: Final = 120
_MARK: Final = "\x1f"  # no provider's text holds it: `elements.shown` takes it out
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
    when: str

    @property
    def record(self) -> int:
        """Whose page it leads to."""
        return self.key[3]


@dataclass(frozen=True)
class Found:
    """How many entries were found, and the newest of them, newest first."""

    count: int
    newest: tuple[Hit, ...]


class Made(NamedTuple):
    """A leaf of words with what the index knows of it, and the leaves that say which entries say them."""

    head: Head
    words: bytes
    found: list[bytes]


def written(entry: Entry) -> bytes:
    """The words of one entry."""
    plain = plain_names.of(entry.codes)
    displays = (code.display for code in entry.codes)
    ours = (str(plain.words), *plain.terms) if plain else ()
    said = " ".join(filter(None, dict.fromkeys((entry.title, *ours, *displays, *entry.people[:5]))))
    words = f"{' '.join(said.casefold().split())[:_LONGEST]}{_MARK}{plain.key if plain else ''}{_MARK}"
    when = entry.when.starts or entry.when.ends or entry.when.text
    key = plain.key if plain else ""
    return msgspec.json.encode(Words(entry.title[:_LONGEST_TITLE], key, when[:40], words))


@dataclass
class _Said:
    """A phrase while leaves are made. Of the entries that say it, only the newest can ever be shown."""

    words: Words
    count: int = 0
    entries: list[tuple[Key, str]] = field(default_factory=list)


def leaves(rows: Iterator[tuple[Key, bytes]]) -> Iterator[Made]:
    """The leaves of one shelf, from what `written` gave for each entry, newest first. Some thousand entries are held at
    once: what is said again later is a phrase once more."""
    said: dict[tuple[str, str], _Said] = {}
    kept = size = 0
    for key, row in rows:
        words = _READ_WORDS(row)
        phrase = said.get((words.words, words.title))
        if phrase is None:
            phrase = said[words.words, words.title] = _Said(words)
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
    words = indexing.write_phrases([one.count for one in said], [one.words.words for one in said])
    phrases = [Phrase(one.words.title, one.words.plain, tuple(one.entries)) for one in said]
    found = [msgspec.json.encode(phrases[start : start + _A_LEAF]) for start in range(0, len(phrases), _A_LEAF)]
    return Made(Head(len(said), said[0].entries[0][0]), words, found)


def find(shelves: Sequence[OpenShelf], words: str, ring: KeyRing) -> Found:
    """Every entry that has all these words, or is what they mean in plain words. Two queries, one where there is none.

    Raises `reading.Outdated` where a shelf was built anew meanwhile, or is still to be built by this release, and
    `apps.vault.errors.VaultError` where a leaf does not open.
    """
    if any(shelf.index is not None and not shelf.index.is_searchable for shelf in shelves):
        raise reading.Outdated
    wanted = [word.encode(errors="surrogatepass") for word in words.casefold().split()]
    meant = [f"{_MARK}{name.key}{_MARK}".encode() for name in plain_names.meant_by(words)]
    count = 0
    places: dict[OpenShelf, list[tuple[int, int]]] = defaultdict(list)
    begun: dict[OpenShelf, int] = defaultdict(int)  # the leaf that has the first phrase of this one
    for shelf, leaf in reading.every_leaf(shelves, Arrangement.WORDS, ring):
        phrases = reading.understood(indexing.read_phrases, leaf)
        numbers = _matching(phrases.lines, wanted, meant)
        count += sum(phrases.counts[number] for number in numbers)
        # in the order of their newest entry: of one shelf, no later phrase has an entry among the newest of all
        if numbers:
            chosen = numbers[: MOST - len(places[shelf])]
            places[shelf] += [(begun[shelf] + number // _A_LEAF, number % _A_LEAF) for number in chosen]
        begun[shelf] += -(-len(phrases.counts) // _A_LEAF)
    entries = ((*entry, shelf, phrase) for shelf, phrase in _phrases(places, ring) for entry in phrase.entries)
    newest = heapq.nsmallest(MOST, entries, key=itemgetter(0))
    return Found(count, tuple(Hit(key, shelf, said.title, said.plain, when) for key, when, shelf, said in newest))


def _matching(lines: bytes, wanted: Sequence[bytes], meant: Sequence[bytes]) -> list[int]:
    """The numbers of the lines that have all that is wanted, or any that is meant; most leaves have none."""
    has_all = all(word in lines for word in wanted)
    meant = [key for key in meant if key in lines]
    if not has_all and not meant:
        return []
    numbered = list(enumerate(lines.split(b"\n")))
    found = numbered if has_all else []
    for word in wanted:
        found = [(number, line) for number, line in found if word in line]
    numbers = {number for number, _line in found}
    numbers.update(number for key in meant for number, line in numbered if key in line)
    return sorted(numbers)


def _phrases(
    places: Mapping[OpenShelf, Sequence[tuple[int, int]]], ring: KeyRing
) -> Iterator[tuple[OpenShelf, Phrase]]:
    """The phrases at these places, each a leaf and a place on it."""
    wanted = {shelf: {leaf for leaf, _place in found} for shelf, found in places.items()}
    opened = reading.leaves(wanted, Arrangement.FOUND, ring)
    for shelf, found in places.items():
        for leaf, several in itertools.groupby(found, key=itemgetter(0)):
            phrases = reading.understood(indexing.read_phrase_list, opened[shelf, leaf])
            for _leaf, place in several:
                yield shelf, reading.understood(indexing.read_phrase, phrases[place])
