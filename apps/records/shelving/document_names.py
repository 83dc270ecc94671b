"""What a list of documents can be filtered by: a document's kind, and its author (patient experience 3.8)."""

from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping
from enum import StrEnum
from typing import Final

from apps.records.presenters import plain_names
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Entry

MOST: Final = 100  # kinds, and authors, that an index keeps: the most frequent
_LONGEST: Final = 200


class FilterBy(StrEnum):
    """What documents can be filtered by."""

    KIND = "kind"
    AUTHOR = "author"


def of(entry: Entry) -> Iterator[tuple[FilterBy, str]]:
    """The names that an entry can be filtered by: one kind, and all its authors. A kind is in the provider's words: two
    of these may mean different things although we have one name for both. If the provider sent none, it is the key of
    our name."""
    if not isinstance(entry, DocumentEntry) or entry.is_withheld:
        return
    if kind := _kind(entry):
        yield FilterBy.KIND, kind
    for author in dict.fromkeys(entry.people):
        yield FilterBy.AUTHOR, author[:_LONGEST]


def learn_plain(plain: MutableMapping[str, str], entry: Entry) -> None:
    """Learn which of our names rows show for the kind of this entry; empty if rows of that kind show different ones."""
    if isinstance(entry, DocumentEntry) and not entry.is_withheld and (kind := folded(_kind(entry))):
        key = _key(entry)
        if plain.setdefault(kind, key) != key:
            plain[kind] = ""


def _kind(entry: DocumentEntry) -> str:
    return (entry.title or _key(entry))[:_LONGEST]


def _key(entry: DocumentEntry) -> str:
    plain = plain_names.of_resource(entry.resource_type, entry.codes)
    return plain.key if plain else ""


def folded(name: str) -> str:
    """A form that is the same for all spellings of one name."""
    return " ".join(name.casefold().split())


def most_frequent(counted: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """The most frequent kinds and authors, and how many entries have each, as an index keeps them."""
    names: dict[str, Counter[str]] = {}
    for (by, name), count in counted.items():
        names.setdefault(by, Counter())[name] += count
    return {by: dict(of_it.most_common(MOST)) for by, of_it in names.items()}


def of_most_frequent(plain: Mapping[str, str], counted: Mapping[tuple[str, str], int]) -> dict[str, str]:
    """The keys of our names for those kinds that an index keeps and rows show by one name."""
    kept = {folded(name) for name in most_frequent(counted).get(FilterBy.KIND, {})}
    return {kind: key for kind, key in plain.items() if key and kind in kept}
