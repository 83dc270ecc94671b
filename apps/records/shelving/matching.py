"""Which lines of a leaf of words match what is asked for, or most of it.

There are many lines, and few of them have a word. So a leaf is never split into lines, but searched from one match to
the next.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import methodcaller
from typing import Final, NamedTuple

from apps.records.shelving import search_terms
from apps.records.shelving.search_terms import MARK, Around, Word

_MARK: Final = MARK.encode()
_END: Final = b"\n"
_YEAR: Final = len(f"{MARK}2024")
# Of what is called by its kind alone there is none of ours, which no key that begins so is (`word_leaves`).
_KEYS: Final = re.compile(b"%b([^%b\n=][^%b\n]*+)(?=%b)" % (_MARK, _MARK, _MARK, _MARK))
_FEW: Final = 8  # lines to a place
_LONE: Final = re.compile(rb" ([0-9a-z])(?= )")
# With a space for whatever does not stand beside a letter, or a number, that is part of a longer one.
_LETTERS: Final = bytes(one if one in search_terms.LETTERS else ord(" ") for one in range(256))
_DIGITS: Final = bytes(one if one in b"0123456789\n" else ord(" ") for one in range(256))


_count_ends: Final = methodcaller("count", _END)


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
    leaf = _Leaf(lines)
    named = leaf.named(words)
    here = [word for word in words if around[word] or named[word] or leaf.may_have(word)]
    if len(here) < least.words:
        return Best(least, {})
    told = _told(leaf, here, named)
    rank, chosen = _chosen(set(told), here, around, least, asked=len(words))
    found: dict[tuple[Word, ...], list[int]] = defaultdict(list)
    for number, bits in enumerate(told) if chosen else ():
        if bits in chosen:
            found[chosen[bits]].append(number)
    return Best(rank, found)


def unsaid(lines: bytes, words: Iterable[Word]) -> list[Word]:
    """Those of the words that no line says."""
    leaf, words = _Leaf(lines), list(words)
    named = leaf.named(words)
    return [word for word in words if next(leaf.saying(word, named[word]), None) is None]


def keys(lines: bytes) -> frozenset[bytes]:
    """The keys of our names that any line has."""
    return frozenset(_KEYS.findall(lines))


def said(lines: bytes) -> bytes:
    """The words of each line, without its keys and its year."""
    return _END.join(line.partition(_MARK)[0] for line in lines.split(_END))


def _chosen(
    sorts: Iterable[int], words: Sequence[Word], around: Mapping[Word, frozenset[Around]], least: Rank, *, asked: int
) -> tuple[Rank, Mapping[int, tuple[Word, ...]]]:
    """Of these sorts of lines, told by their bits, those that fit best, each with the words that are true of it."""
    everywhere = sum(1 << at for at, word in enumerate(words) if around[word])
    chosen: dict[int, tuple[Word, ...]] = {}
    for bits in sorts:
        said, dated = bits & _all(words), bits >> len(words)
        true = said | dated | everywhere
        count = true.bit_count()
        if count < least.words:
            continue
        if not said and not _are_true_in_two_ways(_with_bits(words, true), around, is_dated=bool(dated)):
            continue
        rank = Rank(count, bool(said) or count == asked)
        if rank > least:
            least, chosen = rank, {}
        if rank == least:
            chosen[bits] = _with_bits(words, true)
    return least, chosen


def _are_true_in_two_ways(true: Sequence[Word], around: Mapping[Word, frozenset[Around]], *, is_dated: bool) -> bool:
    ways = frozenset[Around]([Around.YEAR] if is_dated else []).union(*(around[word] for word in true))
    return len(true) > 1 and len(ways) > 1


def _told(leaf: "_Leaf", words: Sequence[Word], named: Mapping[Word, Iterable[bytes]]) -> list[int]:
    """Of each line a bit for each word that it says, and above those one for each that is its year. Lines are many, and
    of few sorts: which words those are is asked once for each sort."""
    told = leaf.dated({word.year: 1 << at for at, word in enumerate(words, start=len(words)) if word.year})
    for at, word in enumerate(words):
        bit = 1 << at
        for number in leaf.saying(word, named[word]):
            told[number] |= bit
    return told


def _marked(key: bytes) -> bytes:
    return b"%b%b%b" % (_MARK, key, _MARK)


def _all(words: Sequence[Word]) -> int:
    return (1 << len(words)) - 1


def _with_bits(words: Sequence[Word], bits: int) -> tuple[Word, ...]:
    return tuple(word for at, word in enumerate(words) if bits >> at & 1)


class _Leaf:
    """The lines of a leaf: of each the words, a mark, its keys with a mark behind each, and its year."""

    def __init__(self, lines: bytes) -> None:
        self._lines = lines + _END
        self.count = self._lines.count(_END)

    def named(self, words: Iterable[Word]) -> Mapping[Word, frozenset[bytes]]:
        """Of each word those of its keys that any line has."""
        held = keys(self._lines) if any(word.keys for word in words) else frozenset[bytes]()
        return {word: word.keys & held for word in words}

    def may_have(self, word: Word) -> bool:
        """Whether a word may stand in a line, or be its year, which stands there as well."""
        if word.alone and len(word.text) == 1:
            return word.text.encode() in self._lone
        return any(form in self._lines for form in word.forms)

    def saying(self, word: Word, keys: Iterable[bytes]) -> Iterator[int]:
        """The numbers of those that are called so, by their provider or by us by one of these keys; some more than
        once."""
        if word.alone is None:
            for form in word.forms:
                yield from self._saying(form)
        elif len(word.text) == 1:
            yield from self._having(b" %b " % word.text.encode(), self._letters_apart)
        else:  # behind the year that ends a line is no space
            yield from self._having(b" %b " % word.text.encode(), self._digits_apart)
            yield from self._having(b"\n%b " % word.text.encode(), self._digits_apart)
        for key in keys:
            yield from self._having(_marked(key), self._lines, is_behind=True)

    def dated(self, bits: Mapping[bytes, int]) -> list[int]:
        """Of each line the bit of its year, by how a line of that ends."""
        return [bits.get(year, 0) for year in self._years] if bits else [0] * self.count

    def _saying(self, form: bytes) -> Iterator[int]:
        """The numbers of those that have this form among their words: from one place to the next where these are few.
        Two letters may stand in every other line: then ends of lines are counted between them, all at once."""
        if self._lines.count(form) * _FEW < self.count:
            return self._having(form, self._lines)
        between = self._words.split(form)
        return itertools.accumulate(map(_count_ends, between[:-1]))

    def _having(self, part: bytes, where: bytes, *, is_behind: bool = False) -> Iterator[int]:
        """The numbers of those that have this part among their words, or behind them. `where` are the lines, in which
        other letters may stand in the same places."""
        lines, number, begun = self._lines, 0, 0
        at = where.find(part)
        while at >= 0:
            if passed := lines.count(_END, begun, at):
                number += passed
                begun = lines.rfind(_END, begun, at) + 1
            if is_behind or lines.find(_MARK, begun, at) < 0:
                yield number
            begun = lines.find(_END, at) + 1
            number += 1
            at = where.find(part, begun)

    @cached_property
    def _words(self) -> bytes:
        """The lines without their keys and their years."""
        return said(self._lines)

    @cached_property
    def _letters_apart(self) -> bytes:
        """With a space for all that is no letter and no digit, and one before it."""
        return b" " + self._lines.translate(_LETTERS)

    @cached_property
    def _lone(self) -> frozenset[bytes]:
        """The letters that stand alone anywhere: one look for all of them."""
        return frozenset(_LONE.findall(self._letters_apart))

    @cached_property
    def _years(self) -> list[bytes]:
        """How each line ends, as far as that is a year: all are looked at once, however many are asked for."""
        return [line[-_YEAR:] for line in self._lines.split(_END)[:-1]]

    @cached_property
    def _digits_apart(self) -> bytes:
        return _END + self._lines.translate(_DIGITS)
