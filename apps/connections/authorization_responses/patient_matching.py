"""Decide whether two people whom providers name are the same person. Nothing else in the project decides that.

One person's values must never be shown as another's, so in doubt they are two people. They match if their birth dates
do not differ and neither name contains a word that contradicts the other: word order, titles, and middle names or their
initials do not matter. The names of twins contradict each other: each has a word that the other lacks. Accents are
ignored if only one name has any, because many write names without them; if both have some, they distinguish people, as
they do in Vietnamese.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeVar

from apps.connections.authorization_responses.candidates import Candidate

_Key = TypeVar("_Key")

_FULL_DATE = len("1984-03-09")
_SHARED_WORDS = 2  # a given name and a family name
_MOST_INITIALS = 3
_TITLES = frozenset({"dr", "md", "miss", "mr", "mrs", "ms", "phd", "prof"})
_NOT_YET_NAMED = frozenset({"baby", "babyboy", "babygirl", "boy", "girl", "infant", "newborn", "triplet", "twin"})
_OF_A_GENERATION = frozenset({"jr", "sr", "ii", "iii", "iv"})
_BEFORE_A_FAMILY_NAME = frozenset(
    {"al", "bin", "da", "das", "de", "del", "den", "der", "di", "dos", "du", "el", "la", "las", "le", "los", "ter"}
    | {"van", "von"}
)
_NOBODYS_OWN = _OF_A_GENERATION | _BEFORE_A_FAMILY_NAME  # by itself neither a given nor a family name
_ACCENTS = re.compile("[\u0300-\u036f]")  # of Latin and similar scripts: in others a mark makes a different word
_APOSTROPHES = re.compile("['\u2019\u02bc`.]")
_BETWEEN_WORDS = re.compile(r"[\s,;/()\"\u2010-\u2015-]+")
_AFTER_AN_INITIAL = re.compile(r"\b(\w)\.")


@dataclass(frozen=True, repr=False)
class _Person:
    """The birth date; the words of the name, without and with accents; the words that are known to be given names; and
    whether the name's initials stand between other words, as that of a middle name does."""

    born: str
    words: frozenset[str]
    accented: frozenset[str]
    given: frozenset[str]
    has_middle_initials: bool


def are_same(one: Candidate, other: Candidate) -> bool:
    """Whether these are one person. People without a name are never the same. If a birth date is missing or partial,
    the names must be equal, because father and son differ by one word."""
    return _are_one(_read(one), _read(other))


def of_each(keys: Iterable[_Key], people: Mapping[_Key, Candidate]) -> dict[_Key, int]:
    """A number for each key, equal if the person is the same. Somebody who matches two people who differ gets a number
    of their own, and so does each key about whom nothing is known."""
    read = {key: _read(person) for key, person in people.items()}
    like = {key: frozenset(other for other in read if _are_one(read[key], read[other])) for key in read}
    seen: dict[frozenset[_Key], int] = {}
    return {
        key: seen.setdefault(like[key] or frozenset((key,)), place) if key in people else place
        for place, key in enumerate(keys)
    }


def _are_one(one: _Person, other: _Person) -> bool:
    first, second = sorted((one.born, other.born), key=len)
    if not second.startswith(first) or _are_accented_apart(one, other):
        return False
    if len(first) == _FULL_DATE:
        return _are_alike(one, other)
    return one.words == other.words and len(one.words) >= _SHARED_WORDS


def _are_accented_apart(one: _Person, other: _Person) -> bool:
    """Whether both names have accents, and a word that they share has different ones."""
    if one.accented <= one.words or other.accented <= other.words:
        return False
    shared = one.words & other.words
    return {word for word in one.accented if _plain(word) in shared} != {
        word for word in other.accented if _plain(word) in shared
    }


def _are_alike(one: _Person, other: _Person) -> bool:
    if one.words == other.words:
        return bool(one.words)
    if (one.words | other.words) & _NOT_YET_NAMED:
        return False
    shared = one.words & other.words
    if sum(not _is_initial(word) for word in shared - _NOBODYS_OWN) < _SHARED_WORDS:
        return False
    few, many = sorted((sorted(one.words - shared), sorted(other.words - shared)), key=len)
    return not few or (_share_a_given_name(one, other) and _are_abbreviated(few, many))


def _share_a_given_name(one: _Person, other: _Person) -> bool:
    """Without this, an initial could be all that is known of the given name, and what they share be two family
    names."""
    if one.given or other.given:
        known = (one.given or one.words) & (other.given or other.words)
        return any(not _is_initial(word) for word in known - _NOBODYS_OWN)
    return all(not any(map(_is_initial, name.words)) or name.has_middle_initials for name in (one, other))


def _are_abbreviated(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether each of the few words abbreviates, or is abbreviated by, a different one of the many."""
    if len(few) > _MOST_INITIALS or len(many) > 2 * _MOST_INITIALS:
        return False
    return any(all(map(_is_short_for, few, chosen)) for chosen in permutations(many, len(few)))


def _is_short_for(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return _is_initial(short) and long.startswith(short)


def _is_initial(word: str) -> bool:
    """One letter of a script with capitals: in other scripts one character may be a whole name."""
    return len(word) == 1 and word.upper() != word


def _read(person: Candidate) -> _Person:
    """Read the name as it is shown. If it contains a comma, the given names come after it."""
    before, _comma, after = person.name.partition(",")
    given = _words(after)
    if set(given) <= _TITLES | _OF_A_GENERATION:
        given = []  # "Wrenna Quillfeather, MD"
    accented = _without_titles(_words(f"{after} {before}" if given else person.name))
    words = [_plain(word) for word in accented]
    initials = [place for place, word in enumerate(words) if _is_initial(word)]
    is_middle = all(0 < place < len(words) - 1 for place in initials)
    known = frozenset(words) & frozenset(map(_plain, given))
    return _Person(person.birth_date, frozenset(words), frozenset(accented), known, is_middle)


def _without_titles(words: Sequence[str]) -> list[str]:
    """Without titles, unless they are needed to tell people apart: "Mr. Quillfeather" is not "Mrs. Quillfeather"."""
    rest = [word for word in words if word not in _TITLES]
    return rest if len(rest) >= _SHARED_WORDS else list(words)


def _words(text: str) -> list[str]:
    """The words without capitals and punctuation."""
    folded = unicodedata.normalize("NFKC", text.casefold()).replace("i\u0307", "i")  # of a Turkish capital
    spaced = _AFTER_AN_INITIAL.sub(r"\1 ", folded.replace("m.d.", "md").replace("ph.d.", "phd"))
    words = (_APOSTROPHES.sub("", word) for word in _BETWEEN_WORDS.split(spaced))
    return [word for word in words if _plain(word)]


def _plain(word: str) -> str:
    """Without accents."""
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFKD", word)))
