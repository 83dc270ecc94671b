"""Suggestions for a mistyped word: similar words that a search would find.

Only words that find something are suggested: words of entries, our own names for what is here, and the names of lists
and providers.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Final

from apps.directory.words import mistyping
from apps.records.shelving import matching, our_words, search_terms
from apps.records.shelving.search_terms import Word
from apps.records.subjects import LISTED

_MOST: Final = 3  # suggestions for one word
_MOST_UNKNOWN: Final = 2  # words: if more of them occur nowhere, they are not mistyped
_MOST_COMPARED: Final = 60  # of those that look alike: comparing two takes about ten microseconds
_MOST_LETTERS: Final = 100_000  # of lines, those of the newest entries: far more than a person is likely to have
_SHORTEST: Final = 3
_APART: Final = bytes(
    one if one in search_terms.LETTERS and one not in b"0123456789" else ord(" ") for one in range(256)
)
_FOREIGN: Final = bytes(range(0x80, 0x100))


def of(
    words: Iterable[Word], leaves: Sequence[bytes], *, providers: Collection[Collection[str]]
) -> Mapping[Word, tuple[str, ...]]:
    """For each of these words that occurs in no name, the most similar known words, the nearest first. `leaves` are all
    lines that were searched, and `providers` the `search_terms.parts` of each provider's name."""
    unknown = [word for word in words if mistyping.edits_forgiven(word.text) and not _is_known(word, providers)]
    for lines in leaves:
        unknown = matching.unsaid(lines, unknown)
    if not unknown or len(unknown) > _MOST_UNKNOWN:
        return {}
    newest = [_begun(lines, _MOST_LETTERS // len(leaves)) for lines in leaves]
    here, elsewhere = our_words.in_names_of(frozenset[bytes]().union(*map(matching.keys, newest)))
    lists = our_words.of_lists(subject.key for subject in LISTED)
    known = _said(newest).union(here, lists, *providers)
    near = {word: _nearest(word, known) or _split(word, known) or _nearest(word, elsewhere) for word in unknown}
    return {word: tuple(map(our_words.as_written, found)) for word, found in near.items() if found}


def _is_known(word: Word, providers: Iterable[Collection[str]]) -> bool:
    """Whether it is in the name of a month, a list or a provider."""
    is_of_a_list = any(search_terms.names_list(word, subject.key) for subject in LISTED)
    return word.is_month or is_of_a_list or any(search_terms.names_provider(word, parts) for parts in providers)


def _begun(lines: bytes, most: int) -> bytes:
    """The first lines, which belong to the newest entries."""
    return lines if len(lines) <= most else lines[:most].rpartition(b"\n")[0]


def _said(leaves: Iterable[bytes]) -> frozenset[str]:
    """The words of all lines, each once."""
    words = b"\n".join(map(matching.said, leaves)).translate(_APART).split()
    return frozenset(b" ".join(frozenset(words)).decode(errors="replace").split())


def _nearest(word: Word, known: Collection[str]) -> list[str]:
    """If two are equally near, the one that begins alike comes first. A word that contains another suggestion is left
    out, as a search for that one finds it as well."""
    edits: dict[str, int] = {}
    for text in (form.decode() for form in word.forms):
        for other, apart in _compared(text, known):
            edits[other] = min(apart, edits.get(other, apart))
    found: list[str] = []
    for other in sorted(edits, key=lambda other: (edits[other], other[0] != word.text[0], other)):
        if not any(one in other for one in found):
            found.append(other)
    return found[:_MOST]


def _compared(text: str, known: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Words within the number of edits that is forgiven, each with its number of edits."""
    forgiven, letters = mistyping.edits_forgiven(text), frozenset(text)
    shortest, longest = max(len(text) - forgiven, _SHORTEST), len(text) + forgiven
    fitting = [other for other in known if shortest <= len(other) <= longest]
    alike = (
        (len(letters.symmetric_difference(other)), other) for other in _with_few_others(letters, fitting, forgiven)
    )
    for apart, other in nsmallest(_MOST_COMPARED, alike):
        if apart <= 2 * forgiven and other.isalpha() and not search_terms.is_small(other):
            edits, _of_its_beginning = mistyping.distances(text, other)
            if edits <= forgiven:
                yield other, edits


def _with_few_others(letters: Iterable[str], words: Sequence[str], most: int) -> Iterator[str]:
    """Words with at most this many letters that the given ones lack, as each edit may add one: many words at once."""
    own = "".join(letters).encode() + _FOREIGN
    others = " ".join(words).encode().translate(None, own.replace(b" ", b"")).split(b" ")
    return (word for word, left in zip(words, others, strict=False) if len(left) <= most)


def _split(word: Word, known: Collection[str]) -> list[str]:
    """The word as two words, if the space between them was left out."""
    cuts = range(_SHORTEST, len(word.text) - _SHORTEST + 1)
    parts = ((word.text[:at], word.text[at:]) for at in cuts)
    return [" ".join(both) for both in parts if all(part in known for part in both)][:1]
