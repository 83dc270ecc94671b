"""Which lines of a leaf of words have what is asked for, or the most of it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from apps.records.shelving.asking import MARK, Around, Word

_MARK: Final = MARK.encode()
_KEYS: Final = re.compile(b"%b([^%b\n]+)(?=%b)" % (_MARK, _MARK, _MARK))


class Rank(NamedTuple):
    """How well a line fits: how many words are true of it, and whether it says any itself or all are true."""

    words: int
    is_said: bool


LOWEST: Final = Rank(1, is_said=False)


class Best(NamedTuple):
    """The lines that fit best: their numbers, in order, by which of the words are true of them."""

    rank: Rank
    lines: Mapping[tuple[Word, ...], Sequence[int]]


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
    told = _told(lines, here, keys)
    found: dict[tuple[Word, ...], Sequence[int]] = {}
    for bits in set(told):
        said, dated = bits & _all(here), bits >> len(here)
        true = tuple(word for at, word in enumerate(here) if around[word] or (said | dated) >> at & 1)
        ways = frozenset[Around]([Around.YEAR] if dated else []).union(*(around[word] for word in true))
        if not said and (len(true) < 2 or len(ways) < 2):
            continue
        rank = Rank(len(true), bool(said) or len(true) == len(words))
        if rank > least:
            least, found = rank, {}
        if rank == least:
            numbers = [number for number, others in enumerate(told) if others == bits]
            found[true] = sorted([*found.get(true, ()), *numbers])
    return Best(least, found)


def _told(lines: bytes, words: Sequence[Word], keys: frozenset[bytes]) -> list[int]:
    """Of each line a bit for each word that it says, and above those one for each that is its year. Lines are many, and
    of few sorts: which words those are is asked once for each sort."""
    split = lines.split(b"\n")
    names = [line.partition(_MARK)[0] for line in split]
    told = [0] * len(split)
    for at, word in enumerate(words):
        for number in _said(word, word.keys & keys, split, names):
            told[number] |= 1 << at
        for number in _dated(word, split):
            told[number] |= 1 << at + len(words)
    return told


def _all(words: Sequence[Word]) -> int:
    return (1 << len(words)) - 1


def _may_be_in(word: Word, lines: bytes, keys: frozenset[bytes]) -> bool:
    return (
        not word.keys.isdisjoint(keys)
        or any(form in lines for form in word.forms)
        or (bool(word.year) and word.year in lines)
    )


def _said(word: Word, keys: Iterable[bytes], lines: Sequence[bytes], names: Sequence[bytes]) -> Iterator[int]:
    """The lines of what is called so, by its provider or by us; some more than once."""
    for form in word.forms:
        having = [number for number, name in enumerate(names) if form in name]
        yield from (number for number in having if word.is_in(names[number])) if word.alone else having
    for key in (b"%b%b%b" % (_MARK, key, _MARK) for key in keys):
        yield from [number for number, line in enumerate(lines) if key in line]


def _dated(word: Word, lines: Sequence[bytes]) -> list[int]:
    """The lines of its year, where it is one."""
    return [number for number, line in enumerate(lines) if line.endswith(word.year)] if word.year else []
