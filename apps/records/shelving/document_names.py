"""What a list of documents can be narrowed by: a document's kind, and who wrote it (patient experience 3.8)."""

from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping
from enum import StrEnum
from typing import Final

from apps.records.presenters import plain_names
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Entry

MOST: Final = 100  # names of one sort that an index keeps: the most frequent
_LONGEST: Final = 200


class Sort(StrEnum):
    """In which way documents are told apart."""

    KIND = "kind"
    AUTHOR = "author"


def of(entry: Entry) -> Iterator[tuple[Sort, str]]:
    """What an entry can be found under: one kind, and everybody who wrote it. A kind is in the provider's words: two of
    these may mean different things though we have one name for both. Where it has none, it is the key of ours."""
    if not isinstance(entry, DocumentEntry) or entry.is_withheld:
        return
    if kind := _kind(entry):
        yield Sort.KIND, kind
    for author in dict.fromkeys(entry.people):
        yield Sort.AUTHOR, author[:_LONGEST]


def learn_plain(plain: MutableMapping[str, str], entry: Entry) -> None:
    """By which key of ours rows call the kind that this entry has; empty where they call others of it otherwise."""
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
    """What two ways of writing one name have alike."""
    return " ".join(name.casefold().split())


def most_frequent(counted: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """The names of each sort, and how many entries have each: as an index keeps them."""
    names: dict[str, Counter[str]] = {}
    for (sort, name), count in counted.items():
        names.setdefault(sort, Counter())[name] += count
    return {sort: dict(of_it.most_common(MOST)) for sort, of_it in names.items()}


def of_most_frequent(plain: Mapping[str, str], counted: Mapping[tuple[str, str], int]) -> dict[str, str]:
    """The keys of those kinds that an index keeps and rows call by one of our names."""
    kept = {folded(name) for name in most_frequent(counted).get(Sort.KIND, {})}
    return {kind: key for kind, key in plain.items() if key and kind in kept}
