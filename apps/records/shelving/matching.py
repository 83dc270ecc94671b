"""Which lines of a leaf of words have what is asked for, or the most of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from apps.records.shelving.asking import MARK, Around, Word

_Numbered: TypeAlias = Sequence[tuple[int, bytes]]

_MARK: Final = MARK.encode()
_KEYS: Final = re.compile(b"%b([^%b\n]+)(?=%b)" % (_MARK, _MARK, _MARK))


class Rank(NamedTuple):
    """How well a line fits: how many words are true of it, and whether it says any itself or all are true."""

    words: int
    is_said: bool


LOWEST: Final = Rank(1, is_said=False)


class Best(NamedTuple):
    """The lines that fit best, by their numbers in order: which of the words are true of each."""

    rank: Rank
    lines: Mapping[int, tuple[Word, ...]]


def best(lines: bytes, words: Sequence[Word], around: Mapping[Word, frozenset[Around]], least: Rank) -> Best:
    """Those that fit as well as `least` or better; most leaves have none.

    A word alone that is true of all of a list, a provider or a year finds nothing, else the name of a clinic would find
    all that came from there; two together that are true in two ways do, as a list and a year. Where not all words are
    true of a line, one that says any goes before one that says none.
    """
    keys = frozenset(_KEYS.findall(lines))
    here = [word for word in words if around[word] or _may_be_in(word, lines, keys)]
    if len(here) < least.words:
        return Best(least, {})
    numbered = list(enumerate(lines.split(b"\n")))
    said = {word: _said(word, word.keys & keys, numbered) for word in here}
    dated = {word: _dated(word, numbered) for word in here}
    everywhere = frozenset[Around]().union(*around.values())
    meant = set[int]().union(*said.values())
    if everywhere:
        meant.update(range(len(numbered)) if len(everywhere) > 1 else set[int]().union(*dated.values()))
    found: dict[int, tuple[Word, ...]] = {}
    for number in sorted(meant):
        true = tuple(word for word in here if around[word] or number in said[word] or number in dated[word])
        is_said = any(number in numbers for numbers in said.values())
        if not is_said and len(true) < 2:
            continue
        rank = Rank(len(true), is_said or len(true) == len(words))
        if rank > least:
            least, found = rank, {}
        if rank == least:
            found[number] = true
    return Best(least, found)


def _may_be_in(word: Word, lines: bytes, keys: frozenset[bytes]) -> bool:
    return (
        not word.keys.isdisjoint(keys)
        or any(form in lines for form in word.forms)
        or (bool(word.year) and word.year in lines)
    )


def _said(word: Word, keys: Iterable[bytes], numbered: _Numbered) -> set[int]:
    """The lines of what is called so, by its provider or by us."""
    said = {
        number
        for form in word.forms
        for number, line in numbered
        if form in line and word.is_in(line.partition(_MARK)[0])
    }
    for key in (b"%b%b%b" % (_MARK, key, _MARK) for key in keys):
        said.update(number for number, line in numbered if key in line)
    return said


def _dated(word: Word, numbered: _Numbered) -> set[int]:
    """The lines of its year, where it is one."""
    return {number for number, line in numbered if line.endswith(word.year)} if word.year else set()
