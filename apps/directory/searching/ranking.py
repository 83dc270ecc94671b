"""Which provider a person expects first: exact names, then names with that prefix; whole words before prefixes; the
name before the place before the web address; real before practice; a system before its sites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from apps.directory.searching.candidates import Candidate
from apps.directory.searching.meanings import Meaning, Query
from apps.directory.words import spelling

# The cost of a word that is found there: as a whole word, and as a prefix of one.
_IN_NAME = (0, 2)
_IN_OTHER_NAMES = (1, 3)
_IN_PLACE = (2, 4)
_ELSEWHERE = 5  # in its web address, portals or system; a single letter perhaps nowhere
_FOR_AN_EDIT = 4


class Rank(NamedTuple):
    """Smaller comes first."""

    name_differs: bool
    is_sandbox: bool
    beginning_differs: int  # 0: begins with the typed words, 1: with their letters, 2: with neither
    cost: int
    is_site: bool
    length: int
    plain_name: str
    place: str
    key: str


@dataclass(frozen=True)
class Asked:
    """One meaning, prepared for many comparisons."""

    typed: str
    whole: frozenset[str]
    edits: Mapping[str, int]


def asked(meanings: Sequence[Meaning]) -> tuple[Asked, ...]:
    """Prepare the meanings of a query."""
    return tuple(
        Asked(
            meaning.typed,
            frozenset({meaning.typed, *spelling.other_spellings(meaning.typed)}),
            {word: edits for word, edits in meaning.words.items() if edits},
        )
        for meaning in meanings
    )


def rank(candidate: Candidate, query: Query, all_asked: Sequence[Asked]) -> Rank:
    """The rank of one candidate. Every word of the query is assumed to occur somewhere in it."""
    name = candidate.plain_name
    fields = (
        (tuple(name.split()), _IN_NAME),
        (_words(tuple(candidate.aliases)), _IN_OTHER_NAMES),
        (_place_words(candidate.city, candidate.state, candidate.postal_code), _IN_PLACE),
    )
    return Rank(
        name_differs=name.replace(" ", "") != query.plain.replace(" ", ""),
        is_sandbox=candidate.is_sandbox,
        beginning_differs=_beginning(name, query.plain),
        cost=sum(_cost(one, fields) for one in all_asked),
        is_site=candidate.part_of_id is not None,
        length=len(fields[0][0]),
        plain_name=name,
        place=f"{candidate.state} {candidate.city}".casefold(),
        key=candidate.pk.hex,
    )


def _beginning(name: str, typed: str) -> int:
    if f"{name} ".startswith(f"{typed} "):
        return 0
    return 1 if name.replace(" ", "").startswith(typed.replace(" ", "")) else 2


def _words(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for text in texts for word in spelling.name_words(text))


@lru_cache(maxsize=10_000)
def _place_words(city: str, state: str, postal_code: str) -> tuple[str, ...]:
    return (*spelling.plain_words(city), *spelling.state_words(state), *spelling.plain_words(postal_code))


def _cost(one: Asked, fields: Sequence[tuple[tuple[str, ...], tuple[int, int]]]) -> int:
    best = _ELSEWHERE + max(one.edits.values(), default=0) * _FOR_AN_EDIT
    for words, (whole, beginning) in fields:
        for word in words:
            if word in one.whole:
                best = min(best, whole)
            elif word.startswith(one.typed):
                best = min(best, beginning)
            elif word in one.edits:
                best = min(best, whole + _FOR_AN_EDIT * one.edits[word])
    return best
