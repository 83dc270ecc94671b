"""Which words somebody may have meant: one letter missing, doubled, wrong or transposed; two in long words.

Two words that are one or two such edits apart have a deletion neighbour in common: a form of either with one or two
letters deleted. Neighbours are computed only from a word's prefixes, so that unfinished words have them too.
"""

from itertools import combinations

_SHORTEST = 4
_BEGINNING = 7
_LONG = 8


def neighbours(word: str) -> set[str]:
    """The deletion neighbours to store for a vocabulary word; none for words that are too short or contain digits."""
    if not _may_be_mistyped(word):
        return set()
    found: set[str] = set()
    for length in range(_SHORTEST, min(len(word), _BEGINNING) + 1):
        found |= _without(word[:length], 1)
    return found | (_without(word[:_BEGINNING], 2) if len(word) >= _LONG - 1 else set())


def typed_neighbours(word: str) -> set[str]:
    """The deletion neighbours to look up for a typed word."""
    if not _may_be_mistyped(word):
        return set()
    return _without(word[:_BEGINNING], edits_forgiven(word))


def edits_forgiven(typed: str) -> int:
    """How many edits are allowed in a typed word: the shorter it is, the more words it could be."""
    if not _may_be_mistyped(typed):
        return 0
    return 2 if len(typed) >= _LONG else 1


def distances(typed: str, known: str) -> tuple[int, int]:
    """The edit distance between a typed word and a known one, and between it and the nearest prefix of the known one.

    An edit is a letter deleted, inserted or replaced, or two adjacent letters transposed (optimal string alignment).
    """
    before: list[int] = []
    row = list(range(len(known) + 1))
    for place, letter in enumerate(typed, start=1):
        two_before, before, row = before, row, [place]
        for column, other in enumerate(known, start=1):
            cost = min(row[-1] + 1, before[column] + 1, before[column - 1] + (letter != other))
            if place > 1 and column > 1 and letter == known[column - 2] and typed[place - 2] == other:
                cost = min(cost, two_before[column - 2] + 1)
            row.append(cost)
    return row[-1], min(row)


def _may_be_mistyped(word: str) -> bool:
    return len(word) >= _SHORTEST and word.isalpha()


def _without(word: str, most: int) -> set[str]:
    """The word, and its forms with up to so many letters deleted."""
    kept = {word}
    for left in range(1, most + 1):
        kept |= {"".join(letters) for letters in combinations(word, len(word) - left)}
    return kept
