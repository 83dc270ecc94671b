"""Our own names for things, in all our languages, with the keys by which a search knows them."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from django.conf import settings
from django.utils import translation
from django.utils.dates import MONTHS

from apps.records import subjects
from apps.records.presenters import absences, plain_names, visits
from apps.records.presenters.normalizing import normalized, words_of
from apps.records.presenters.persons import relatives
from apps.records.presenters.plain_names import illnesses
from apps.records.shelving import word_starts

_SHORTEST: Final = 4  # letters of a word in another language: in Spanish, "hip" begins the name of high blood pressure
_SHORTEST_OF_A_LIST: Final = 4  # "and" occurs in half of the names of lists
_SHORTEST_OF_A_MONTH: Final = 3
_BEGINS_ALIKE: Final = 5  # the forms of one word share so many letters: allergy and allergies, vaccination and vaccines
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_ALONE: Final = re.compile(rb"(?<![0-9a-z\x80-\xff])[0-9a-z](?![0-9a-z\x80-\xff])|[0-9]{2,}")
_TWO: Final = re.compile(rb"(?<= )[a-z]{2}")
# What people call a list, besides its name.
_ALSO: Final = {
    "results": "test lab labs laboratory analysis prueba análisis laboratorio",
    "medicines": "medication drug prescription pill medicamento medicina receta pastilla",
    "vaccines": "shot jab immunization immunisation vacunación inmunización",
    "visits": "appointment consultation cita consulta",
    "conditions": "diagnosis problem illness diagnóstico enfermedad",
    "procedures": "operation operación",
}


def keys_of(word: str, forms: Iterable[bytes]) -> frozenset[str]:
    """The keys of our names that contain the word in one of these forms."""
    together, named = _together(_language()), _named(_language())
    told = [form for form in forms if form in together]
    found = {key for form in told for key, here, _elsewhere in named if form in here}
    if len(word) >= _SHORTEST:
        found.update(key for form in told for key, _here, elsewhere in named if form in elsewhere)
    return frozenset(found)


def keys_of_alone(word: str) -> Collection[str]:
    """The same for a text that must not be part of a longer word: one letter, or a number."""
    return _alone(_language()).get(word.encode(), ())


def keys_of_begun(word: str) -> Collection[str]:
    """The same for two letters that a word must begin with."""
    return _begun(_language()).get(word.encode(), ())


def names_list(forms: Iterable[str], subject: str) -> bool:
    """Whether a word, in one of its forms, is this list's name or part of it."""
    begun = tuple(form[:_BEGINS_ALIKE] for form in forms if len(form) >= _SHORTEST_OF_A_LIST)
    return any(part in forms or part.startswith(begun) for part in _of_list(subject))


def is_month(word: str) -> bool:
    """Whether it is the name of a month, or the beginning of one."""
    return len(word) >= _SHORTEST_OF_A_MONTH and any(month.startswith(word) for month in _months())


def in_names_of(keys: Collection[bytes]) -> tuple[frozenset[str], frozenset[str]]:
    """The words of our names with these keys, except short ones: in the reader's language, and in others."""
    told = [(here, elsewhere) for key, here, elsewhere in _named(_language()) if key.encode() in keys]
    return _words_in(here for here, _elsewhere in told), _words_in(elsewhere for _here, elsewhere in told)


def of_lists(keys: Iterable[str]) -> frozenset[str]:
    """The words by which the lists of these subjects are known."""
    return frozenset(part for key in keys for part in _of_list(key))


def as_written(words: str) -> str:
    """Words with their accents, as the reader's language writes them, as far as we have them."""
    accented = _accented(_language())
    return " ".join(accented.get(word, word) for word in words.split())


def _words_in(names: Iterable[bytes]) -> frozenset[str]:
    return frozenset(word for word in _LETTERS.findall(b"\n".join(names).decode()) if len(word) >= _SHORTEST)


@cache
def _accented(language: str) -> Mapping[str, str]:
    with translation.override(language):
        names = " ".join(str(name) for _key, names in _names() for name in names)
    names = " ".join((names, *_ALSO.values())).casefold()
    return {normalized(word): word for word in _LETTERS.findall(names) if not word.isascii()}


@cache
def _months() -> tuple[str, ...]:
    return tuple(_said(MONTHS.values(), [code for code, _name in settings.LANGUAGES]).split())


@cache
def _named(language: str) -> tuple[tuple[str, bytes, bytes], ...]:
    """For each name, its key and its words in this language and in the others. None of it is about anybody."""
    others = [code for code, _name in settings.LANGUAGES if code != language]
    return tuple((key, _said(names, [language]).encode(), _said(names, others).encode()) for key, names in _names())


@cache
def _together(language: str) -> bytes:
    """All of them in one text, which does not contain most words."""
    return b"\n".join(text for _key, *names in _named(language) for text in names)


def _names() -> Sequence[tuple[str, tuple[object, ...]]]:
    """What we call things, by key, as lazy translations."""
    return [
        *[(name.key, (name.words, *name.terms)) for name in plain_names.NAMES],
        *[(illnesses.key_of([illness]), (words,)) for illness, words in illnesses.ILLNESS_WORDS.items()],
        *[(absences.key_of(absence), (words,)) for absence, words in absences.WORDS.items()],
        *[(kind.value, (words,)) for kind, words in (*visits.KIND_WORDS.items(), *relatives.RELATIVE_WORDS.items())],
    ]


@cache
def _alone(language: str) -> Mapping[bytes, Collection[str]]:
    found: dict[bytes, set[str]] = defaultdict(set)
    for key, here, elsewhere in _named(language):
        for word in (*_ALONE.findall(here), *(word for word in _ALONE.findall(elsewhere) if len(word) >= _SHORTEST)):
            found[word].add(key)
    return found


@cache
def _begun(language: str) -> Mapping[bytes, Collection[str]]:
    found: dict[bytes, set[str]] = defaultdict(set)
    for key, here, _elsewhere in _named(language):
        for two in _TWO.findall(word_starts.apart(here)):
            found[two].add(key)
    return found


@cache
def _of_list(subject: str) -> tuple[str, ...]:
    found = subjects.find(subject)
    name = _said([found.name], [code for code, _name in settings.LANGUAGES]) if found else ""
    return (*[part for part in name.split() if len(part) >= _SHORTEST_OF_A_LIST], *words_of(_ALSO.get(subject, "")))


def _language() -> str:
    return translation.get_language() or settings.LANGUAGE_CODE


def _said(names: Iterable[object], languages: Iterable[str]) -> str:
    told = []
    for language in languages:
        with translation.override(language):
            told += [" ".join(words_of(str(name))) for name in names]
    return "\n".join(told)
