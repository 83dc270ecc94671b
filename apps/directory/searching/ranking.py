"""Which provider a person expects first: exact names, then names that begin so; whole words before beginnings; the
name before the place before the web address; real before practice; a system before its sites."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.directory import spelling
from apps.directory.searching.candidates import Candidate
from apps.directory.searching.meanings import Meaning, Query

# What one word costs that was found there: as a whole word, and as the beginning of one.
_IN_NAME = (0, 2)
_IN_OTHER_NAMES = (1, 3)
_IN_PLACE = (2, 4)
_ELSEWHERE = (3, 5)
_FOR_AN_EDIT = 4
_NOWHERE = 20


@dataclass(frozen=True, order=True, slots=True)
class Rank:
    """Smaller comes first."""

    lacks: int  # words that it has nowhere
    name_differs: bool
    is_sandbox: bool
    beginning_differs: int  # 0 begins with all of what was typed, 1 with an unfinished word, 2 does not
    cost: int
    is_site: bool
    length: int
    plain_name: str
    key: str


def rank(candidate: Candidate, query: Query, meanings: Sequence[Meaning]) -> Rank:
    """The place of one candidate for what was typed."""
    costs = _costs(candidate, meanings)
    return Rank(
        lacks=sum(cost >= _NOWHERE for cost in costs),
        name_differs=candidate.plain_name != query.plain,
        is_sandbox=candidate.is_sandbox,
        beginning_differs=_beginning(candidate.plain_name, query.plain),
        cost=sum(costs),
        is_site=candidate.part_of_id is not None,
        length=candidate.plain_name.count(" "),
        plain_name=candidate.plain_name,
        key=str(candidate.pk),
    )


def _beginning(name: str, typed: str) -> int:
    if not name.startswith(typed):
        return 2
    return 0 if name[len(typed) : len(typed) + 1] in {"", " "} else 1


def _costs(candidate: Candidate, meanings: Sequence[Meaning]) -> list[int]:
    name = set(spelling.name_words(candidate.name))
    other_names = {word for text in candidate.aliases for word in spelling.name_words(text)}
    place = {*spelling.plain_words(f"{candidate.city} {candidate.postal_code}"), *spelling.state_words(candidate.state)}
    fields = ((name, _IN_NAME), (other_names, _IN_OTHER_NAMES), (place, _IN_PLACE), (set(candidate.words), _ELSEWHERE))
    return [_cost(meaning, fields) for meaning in meanings]


def _cost(meaning: Meaning, fields: Sequence[tuple[set[str], tuple[int, int]]]) -> int:
    best = _NOWHERE
    for words, (whole, beginning) in fields:
        for word in words:
            edits = meaning.words.get(word)
            if edits:
                best = min(best, whole + _FOR_AN_EDIT * edits)
            elif word == meaning.typed:
                best = min(best, whole)
            elif word.startswith(meaning.typed):
                best = min(best, beginning)
    return best
