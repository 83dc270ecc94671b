"""Which lines of a leaf of words match all or most of what a search asks for.

There are many lines, and few of them contain a given word. So a leaf is never split into lines, but searched from one
match to the next.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from apps.records.shelving import search_terms, word_starts
from apps.records.shelving.search_terms import MARK, Around, Word

_MARK: Final = MARK.encode()
_END: Final = b"\n"
_YEAR: Final = len(f"{MARK}2024")
# An entry called by its kind alone has no name of ours: its key begins with a sign with which none of ours begins
# (`word_leaves`).
_KEYS: Final = re.compile(b"%b([^%b\n=][^%b\n]*+)(?=%b)" % (_MARK, _MARK, _MARK, _MARK))
_FEW: Final = 8  # lines per occurrence
_FEW_ONCE_SPLIT: Final = 16  # splitting a leaf into lines takes a while, but only once
_BEGINNING: Final = 20_000  # letters of a leaf that show how common a word is in it
_LONE: Final = re.compile(rb" ([0-9a-z])(?= )")
# Translates everything but letters to spaces, or everything but digits: to find a letter, or a number, that is not part
# of a longer one.
_LETTERS: Final = bytes(one if one in search_terms.LETTERS else ord(" ") for one in range(256))
_DIGITS: Final = bytes(one if one in b"0123456789\n" else ord(" ") for one in range(256))


class Rank(NamedTuple):
    """How well a line fits: how many words it matches, and whether the line itself says any of them or all of them
    match."""

    words: int
    is_said: bool


LOWEST: Final = Rank(1, is_said=False)


class Best(NamedTuple):
    """The lines that fit best: their numbers, in order, by which of the words they match."""

    rank: Rank
    lines: Mapping[tuple[Word, ...], Sequence[int]]


def best(lines: bytes, words: Sequence[Word], around: Mapping[Word, frozenset[Around]], least: Rank) -> Best:
    """The lines that fit as well as `least` or better; most leaves have none.

    A word that matches a whole list, provider or year finds nothing alone, or else the name of a clinic would find
    everything that came from there; two that match in different ways together do, such as a list and a year. If a line
    does not match all words, one that says any of them ranks above one that says none.
    """
    leaf = _Leaf(lines)
    named = leaf.named(words)
    here = [word for word in words if around[word] or named[word] or leaf.may_have(word)]
    if len(here) < least.words:
        return Best(least, {})
    masks = _masks(leaf, here, named)
    rank, chosen = _chosen(set(masks), here, around, least, asked=len(words))
    found: dict[tuple[Word, ...], list[int]] = defaultdict(list)
    for number, bits in enumerate(masks) if chosen else ():
        if bits in chosen:
            found[chosen[bits]].append(number)
    return Best(rank, found)


def unsaid(lines: bytes, words: Iterable[Word]) -> list[Word]:
    """The words that no line says."""
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
    """The best of these kinds of lines (bit masks of the words they match), each with the words it matches."""
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


def _masks(leaf: "_Leaf", words: Sequence[Word], named: Mapping[Word, Iterable[bytes]]) -> list[int]:
    """For each line, a bit mask: one bit for each word that it says and, above those, one for each word that is its
    year. There are many lines but few distinct masks, so a mask is turned into words only once."""
    masks = leaf.dated({word.year: 1 << at for at, word in enumerate(words, start=len(words)) if word.year})
    for at, word in enumerate(words):
        bit = 1 << at
        for number in leaf.saying(word, named[word]):
            masks[number] |= bit
    return masks


def _marked(key: bytes) -> bytes:
    return b"%b%b%b" % (_MARK, key, _MARK)


def _all(words: Sequence[Word]) -> int:
    return (1 << len(words)) - 1


def _with_bits(words: Sequence[Word], bits: int) -> tuple[Word, ...]:
    return tuple(word for at, word in enumerate(words) if bits >> at & 1)


class _Leaf:
    """The lines of a leaf. Each has the words, a mark, its keys with a mark after each, and its year."""

    def __init__(self, lines: bytes) -> None:
        self._lines = lines + _END
        self.count = self._lines.count(_END)

    def named(self, words: Iterable[Word]) -> Mapping[Word, frozenset[bytes]]:
        """For each word, those of its keys that any line has."""
        held = keys(self._lines) if any(word.keys for word in words) else frozenset[bytes]()
        return {word: word.keys & held for word in words}

    def may_have(self, word: Word) -> bool:
        """Whether any line may say a word, or have it as its year, which is part of the line."""
        if word.alone and len(word.text) == 1:
            return word.text.encode() in self._lone
        if word.is_start:
            return any(b" %b" % form in self._words_apart for form in word.forms)
        return any(form in self._lines for form in word.forms)

    def saying(self, word: Word, keys: Iterable[bytes]) -> Iterator[int]:
        """The numbers of the lines whose own words say it, or that have one of these keys of our names; some more than
        once."""
        if word.is_start:
            for form in word.forms:
                yield from self._beginning(form)
        elif word.alone is None:
            for form in word.forms:
                yield from self._saying(form)
        elif len(word.text) == 1:
            yield from self._having(b" %b " % word.text.encode(), self._letters_apart)
        else:  # no space follows the year that ends a line
            yield from self._having(b" %b " % word.text.encode(), self._digits_apart)
            yield from self._having(b"\n%b " % word.text.encode(), self._digits_apart)
        for key in keys:
            yield from self._having(_marked(key), self._lines, is_behind=True)

    def dated(self, bits: Mapping[bytes, int]) -> list[int]:
        """For each line, the bit of its year, found by how the line ends."""
        return [bits.get(year, 0) for year in self._years] if bits else [0] * self.count

    def _saying(self, form: bytes) -> Iterable[int]:
        """The numbers of the lines that have this form among their words. If it is rare, search from one occurrence to
        the next. It may occur in every other line: then look at each line, as text, in which Python searches three
        times as fast as in bytes."""
        if self._is_rare(form, self._lines, is_split="_words" in vars(self)):
            return self._having(form, self._lines)
        said = form.decode(errors="surrogatepass")
        return [number for number, words in enumerate(self._words) if said in words]

    def _beginning(self, form: bytes) -> Iterable[int]:
        """The same for lines of which a word begins with this form."""
        begun = b" %b" % form
        if self._is_rare(begun, self._words_apart, is_split="_apart_in_lines" in vars(self)):
            return self._having(begun, self._words_apart)
        said = begun.decode()
        return [number for number, words in enumerate(self._apart_in_lines) if said in words]

    def _is_rare(self, part: bytes, where: bytes, *, is_split: bool) -> bool:
        few = _FEW_ONCE_SPLIT if is_split else _FEW
        return where.count(part, 0, _BEGINNING) * few < self._lines.count(_END, 0, _BEGINNING)

    def _having(self, part: bytes, where: bytes, *, is_behind: bool = False) -> Iterator[int]:
        """The numbers of the lines that have this part among their words, or after them (`is_behind`). `where` is the
        text to search: the lines, in which other characters may have been replaced."""
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
    def _words(self) -> list[str]:
        """The words of each line, without its keys and its year."""
        return said(self._lines[:-1]).decode().split("\n")

    @cached_property
    def _apart_in_lines(self) -> list[str]:
        """The same, as `word_starts` has it."""
        return word_starts.apart_in_lines(said(self._lines[:-1]))

    @cached_property
    def _words_apart(self) -> bytes:
        return word_starts.apart(self._lines)

    @cached_property
    def _letters_apart(self) -> bytes:
        """Everything but letters and digits replaced by spaces, with a space before it."""
        return b" " + self._lines.translate(_LETTERS)

    @cached_property
    def _lone(self) -> frozenset[bytes]:
        """All letters that stand alone anywhere, found in one pass."""
        return frozenset(_LONE.findall(self._letters_apart))

    @cached_property
    def _years(self) -> list[bytes]:
        """The last characters of each line, as long as a year is: split once, however many years are asked for."""
        return [line[-_YEAR:] for line in self._lines.split(_END)[:-1]]

    @cached_property
    def _digits_apart(self) -> bytes:
        return _END + self._lines.translate(_DIGITS)
