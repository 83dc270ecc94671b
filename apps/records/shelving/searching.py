"""What a search within a record looks through: a line of words for each entry, on leaves of their own.

All of them are opened for a search, so they hold little: forty leaves for twenty thousand entries.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from apps.records.presenters import plain_names
from apps.records.presenters.entry import Entry
from apps.records.shelving import indexing, reading
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.indexing import Words
from apps.records.shelving.reading import OpenShelf
from apps.vault.sealing import KeyRing

_LONGEST: Final = 400
_LONGEST_TITLE: Final = 120
_MARK: Final = "\x1f"  # no provider's text holds it: `elements.shown` takes it out


@dataclass(frozen=True)
class Hit:
    """An entry that was found, and on which shelf."""

    key: Key
    shelf: OpenShelf
    found: Words


def written(entry: Entry, record: int) -> bytes:
    """The line of one entry."""
    plain = plain_names.of(entry.codes)
    displays = (code.display for code in entry.codes)
    ours = (str(plain.words), *plain.terms) if plain else ()
    said = " ".join(filter(None, dict.fromkeys((entry.title, *ours, *displays, *entry.people[:5]))))
    words = f"{' '.join(said.casefold().split())[:_LONGEST]}{_MARK}{plain.key if plain else ''}{_MARK}"
    when = entry.when.starts or entry.when.ends or entry.when.text
    key = plain.key if plain else ""
    return msgspec.json.encode(Words(record, entry.title[:_LONGEST_TITLE], key, when[:40], words))


def find(shelves: Sequence[OpenShelf], words: str, ring: KeyRing) -> list[Hit]:
    """Every entry that has all these words, or is what they mean in plain words. One query."""
    wanted = words.casefold().split()
    meant = [f"{_MARK}{name.key}{_MARK}" for name in plain_names.meant_by(words)]
    return [
        hit for hit in _all(shelves, ring) if all(word in hit.found.words for word in wanted) or _is_meant(hit, meant)
    ]


def _is_meant(hit: Hit, meant: Sequence[str]) -> bool:
    return any(key in hit.found.words for key in meant)


def _all(shelves: Sequence[OpenShelf], ring: KeyRing) -> Iterator[Hit]:
    for shelf, leaf in reading.every_leaf(shelves, Arrangement.WORDS, ring):
        for key, words in reading.understood(indexing.read_words, leaf):
            yield Hit(key, shelf, words)
