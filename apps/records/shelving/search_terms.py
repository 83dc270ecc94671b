"""The terms of a search.

Terms may come in any order, apart from each other, and in the plural. Each matches either an entry itself, in its
provider's words or in ours in any language, or more than one entry: a year, a list, or everything from a provider.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.records.presenters.normalizing import normalized
from apps.records.shelving import our_words, word_starts

MARK: Final = "\x1f"  # no text of a provider contains it: `elements.shown` removes it

_UNDATED: Final = "-"
_YEAR: Final = re.compile("(?:19|20)[0-9]{2}")
LETTERS: Final = frozenset((*b"0123456789abcdefghijklmnopqrstuvwxyz", *range(0x80, 0x100)))
_LETTER: Final = rb"[0-9a-z\x80-\xff]"
_BETWEEN: Final = frozenset("PSZ")  # punctuation, symbols and separators
_INSIDE: Final = ".'\u2019"  # part of a word if inside it: 6.1, O'Neil
_SMALL_WORDS: Final = (
    "an and at by for from in my of on or the to with against"
    " al con contra de del el en la las los mi mis o para por su sus un una unos unas y"
)
_SMALL: Final = frozenset(_SMALL_WORDS.split())
_SHORTEST_STEM: Final = 4
_SHORTEST_BEGUN: Final = 4  # letters that may begin a word of a provider's name


class Around(StrEnum):
    """What a word may match besides an entry itself."""

    YEAR = "year"
    LIST = "list"
    PROVIDER = "provider"


@dataclass(frozen=True, eq=False)
class Word:
    """One word that was asked for, as typed and as compared. `forms` are the forms in which a text may say it, `alone`
    the pattern to use instead if it must not be part of a longer word. `is_start`: a longer word must begin with it
    (`word_starts`). `keys` are those of our names that contain it.
    If it may be a year, `year` is how a line of that year ends. `is_month`: it is the name of a month."""

    typed: str
    text: str
    forms: tuple[bytes, ...]
    alone: re.Pattern[bytes] | None = None
    keys: frozenset[bytes] = frozenset()
    year: bytes = b""
    is_month: bool = False
    is_start: bool = False

    def is_in(self, text: bytes) -> bool:
        """Whether a text contains it."""
        if self.alone:
            return bool(self.alone.search(text))
        return any(word_starts.are_in(form, text) if self.is_start else form in text for form in self.forms)

    def means(self, key: str) -> bool:
        """Whether our name with this key contains it."""
        return key.encode() in self.keys


def read(typed: str) -> tuple[Word, ...]:
    """The words that somebody typed, each once; empty if there is nothing to look for."""
    words = {text: part for part in parts(typed) if (text := normalized(part))}
    named = [text for text in words if text not in _SMALL] or list(words)
    return tuple(_word(words[text], text) for text in named)


def parts(text: str) -> list[str]:
    """The parts between separators, symbols and punctuation. For a provider's name, apply it to `plainly`."""
    apart = (" " if unicodedata.category(one)[0] in _BETWEEN and one not in _INSIDE else one for one in text)
    return [part for each in "".join(apart).split() if (part := each.strip(_INSIDE))]


def year_mark(year: str) -> str:
    """How the line of an entry of this year ends, after the last mark of its keys."""
    return year or _UNDATED


def around(words: Iterable[Word], *, subject: str, provider: Collection[str]) -> dict[Word, frozenset[Around]]:
    """What each word matches besides entries: the list of this subject, or the provider, whose name has these
    `parts`."""
    return {word: frozenset(_around(word, subject, provider)) for word in words}


def _around(word: Word, subject: str, provider: Iterable[str]) -> Iterator[Around]:
    if names_list(word, subject):
        yield Around.LIST
    if names_provider(word, provider):
        yield Around.PROVIDER


def names_list(word: Word, subject: str) -> bool:
    """Whether the word names the list of this subject."""
    return our_words.names_list(_forms(word.text), subject)


def names_provider(word: Word, provider: Iterable[str]) -> bool:
    """Whether the word names the provider, whose name has these `parts`."""
    begins = len(word.text) >= _SHORTEST_BEGUN
    return any(part == word.text or (begins and part.startswith(word.text)) for part in provider)


def is_small(text: str) -> bool:
    """Whether it is a word that is ignored if there are others."""
    return text in _SMALL


def _word(typed: str, text: str) -> Word:
    forms = tuple(form.encode(errors="surrogatepass") for form in _forms(text))
    alone = _alone(text)
    is_start = word_starts.are_meant(text)
    if is_start:
        called = our_words.keys_of_begun(text)
    else:
        called = our_words.keys_of_alone(text) if alone else our_words.keys_of(text, forms)
    keys = frozenset(key.encode() for key in called)
    year = f"{MARK}{year_mark(text)}".encode() if _YEAR.fullmatch(text) else b""
    return Word(typed, text, forms, alone, keys, year, our_words.is_month(text), is_start)


def _forms(text: str) -> tuple[str, ...]:
    """The word, and what it may be the plural of in either language. Longer forms are not needed: a word is also found
    inside a longer one."""
    stems = []
    if text.endswith("s") and not text.endswith(("ss", "us", "is")):
        stems.append(text[:-1])
        if text.endswith("es"):
            stems.append(text[:-2])
        if text.endswith("ies"):
            stems.append(f"{text[:-3]}y")
        if text.endswith("ces"):
            stems.append(f"{text[:-3]}z")
    return text, *(stem for stem in stems if len(stem) >= _SHORTEST_STEM)


def _alone(text: str) -> re.Pattern[bytes] | None:
    """The pattern for one letter by itself, as in "hepatitis A", or for a number, which must not match a longer
    number."""
    if not text.isascii() or not (text.isdigit() or (len(text) == 1 and text.isalpha())):
        return None
    beside = _LETTER if len(text) == 1 else b"[0-9]"
    return re.compile(b"(?<!%b)%b(?!%b)" % (beside, re.escape(text).encode(), beside))
