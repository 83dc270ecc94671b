"""Leaves of words: what a search looks through, written while shelves are built.

Every search opens all words of all entries, so there must be few: a phrase, which is what several entries have in
common, is stored once. Leaves of `Arrangement.WORDS` have a line for each phrase, leaves of `Arrangement.FOUND` the
entries that have it. Everything is sealed, and nothing in the database is ordered by a word or a part of one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from apps.records.presenters import absences, date_meanings, plain_names
from apps.records.presenters.care_plans import PLAIN_WORDS as PLANS
from apps.records.presenters.care_plans import CarePlanEntry
from apps.records.presenters.entry import NOT_GIVEN, Code, Entry
from apps.records.presenters.family import FamilyEntry
from apps.records.presenters.immunizations import ImmunizationEntry
from apps.records.presenters.memoizing import memoized
from apps.records.presenters.normalizing import normalized
from apps.records.presenters.plain_names import illnesses
from apps.records.presenters.visits import VisitEntry
from apps.records.shelving import arranging, indexing, search_terms
from apps.records.shelving.arranging import Key
from apps.records.shelving.indexing import Head, Phrase, Standing, Words
from apps.records.shelving.search_terms import MARK

MOST_SHOWN: Final = 50  # entries of a phrase: a search shows no more
ON_A_LEAF: Final = 100  # phrases, of which a search shows a few

_LONGEST: Final = 400
_LONGEST_TITLE: Final = 120
_LONGEST_DATE: Final = 40  # if it was sent as text
_MOST_PEOPLE: Final = 5  # per entry
_KIND: Final = "="  # no key of our names begins with it
_LONGEST_CODE: Final = 60
_MOST_KEPT: Final = 4000  # entries held at once while leaves are built
_LARGEST: Final = 500_000  # characters on a leaf of words


class WordLeaf(NamedTuple):
    """A leaf of words with what the index knows of it, and the leaves with the entries of its phrases."""

    head: Head
    words: bytes
    found: list[bytes]


def written(entry: Entry) -> bytes:
    """The words of one entry, encoded."""
    title, key, words = _found_by(*_called(entry), entry.resource_type, entry.codes, entry.people[:_MOST_PEOPLE])
    told = type(entry).__name__, entry.status, entry.group, date_meanings.of(entry), entry.language
    standing = Standing(*told, is_modified=entry.is_modified)
    when = replace(entry.when, text=entry.when.text[:_LONGEST_DATE])
    return msgspec.json.encode(Words(title, key, indexing.write_when(when), words, standing))


@memoized
def _found_by(
    title: str, key: str, resource_type: str, codes: tuple[Code, ...], people: tuple[str, ...]
) -> tuple[str, str, str]:
    """The title that is shown, the key of our name for it, and the words that it is found by."""
    plain = plain_names.of_resource(resource_type, codes)
    key = plain.key if plain else key
    displays = (code.display for code in codes)
    ours = (str(plain.words), *plain.terms) if plain else ()
    said = " ".join(filter(None, dict.fromkeys((title, *ours, *displays, *people))))
    keys = MARK.join(key.split(","))
    return title[:_LONGEST_TITLE], key, f"{normalized(said)[:_LONGEST]}{MARK}{keys}{MARK}"


def _called(entry: Entry) -> tuple[str, str]:
    """Its title, and the key of what lists call it: for a vaccine, the illnesses; for a known absence, what is absent.
    An entry without a title may be a visit, called by its kind of visit, or about a relative: called in the provider's
    words, or else in ours; all others are called by their type, or by the code they came with."""
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
    """The key for an entry that lists call by its type or by a code."""
    return f"{_KIND}{entry.resource_type}{_KIND}{code[:_LONGEST_CODE]}"


def read_kind(key: str) -> tuple[str, str] | None:
    """The type and the code in such a key; None for any other key."""
    resource_type, _mark, code = key.removeprefix(_KIND).partition(_KIND)
    return (resource_type, code) if key.startswith(_KIND) else None


@dataclass
class _Said:
    """A phrase while leaves are built. Of the entries that have it, only the newest can ever be shown."""

    words: Words
    year: str
    count: int = 0
    entries: list[tuple[Key, msgspec.Raw]] = field(default_factory=list)


def leaves(rows: Iterator[tuple[Key, bytes]]) -> Iterator[WordLeaf]:
    """The leaves of one shelf, from what `written` returned for each entry, newest first. Only some thousand entries
    are held at once: a phrase that recurs later, or in another year, is stored again."""
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
        if len(phrase.entries) < MOST_SHOWN:
            phrase.entries.append((key, words.when))
            kept += 1
        if kept >= _MOST_KEPT or size >= _LARGEST:
            yield _made(list(said.values()))
            said, kept, size = {}, 0, 0
    if said:
        yield _made(list(said.values()))


_READ_WORDS: Final = msgspec.json.Decoder(Words).decode


def _made(said: Sequence[_Said]) -> WordLeaf:
    lines = [f"{one.words.words}{search_terms.year_mark(one.year)}" for one in said]
    words = indexing.write_phrases([one.count for one in said], lines)
    phrases = [Phrase(one.words.title, one.words.plain, tuple(one.entries), one.words.standing) for one in said]
    found = [msgspec.json.encode(phrases[start : start + ON_A_LEAF]) for start in range(0, len(phrases), ON_A_LEAF)]
    return WordLeaf(Head(len(said), said[0].entries[0][0]), words, found)
