"""By what a list of documents can be narrowed: of what kind one is, and who wrote it (patient experience 3.8)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Entry

MOST: Final = 100  # names of one sort that an index keeps: the most frequent
_LONGEST: Final = 200


class Sort(StrEnum):
    """In which way documents are told apart."""

    KIND = "kind"
    AUTHOR = "author"


def of(entry: Entry) -> Iterator[tuple[Sort, str]]:
    """What an entry can be found under, in the provider's words: one kind, and everybody who wrote it."""
    if not isinstance(entry, DocumentEntry) or entry.is_withheld:
        return
    if entry.title:
        yield Sort.KIND, entry.title[:_LONGEST]
    for author in dict.fromkeys(entry.people):
        yield Sort.AUTHOR, author[:_LONGEST]


def folded(name: str) -> str:
    """What two ways of writing one name have alike."""
    return " ".join(name.casefold().split())


def most_frequent(counted: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """The names of each sort, and how many entries have each: as an index keeps them."""
    names: dict[str, Counter[str]] = {}
    for (sort, name), count in counted.items():
        names.setdefault(sort, Counter())[name] += count
    return {sort: dict(of_it.most_common(MOST)) for sort, of_it in names.items()}
