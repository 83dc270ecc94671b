"""What we call things, in every language that we speak, beside the keys by which a search knows them."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Final

from django.conf import settings
from django.utils import translation
from django.utils.dates import MONTHS

from apps.records import subjects
from apps.records.presenters import absences, family, plain_names, visits
from apps.records.presenters.plain_names import illnesses
from apps.records.presenters.spelling import words_of

_SHORTEST: Final = 4  # letters of a word of another language: "hip" begins what Spanish calls high blood pressure
_SHORTEST_OF_A_LIST: Final = 4  # "and" stands in half of the names of lists
_SHORTEST_OF_A_MONTH: Final = 3
_BEGINS_ALIKE: Final = 5  # and so do the forms of one word: allergy and allergies, vaccination and vaccines
_ALONE: Final = re.compile(rb"(?<![0-9a-z\x80-\xff])[0-9a-z](?![0-9a-z\x80-\xff])|[0-9]{2,}")
# What people call a list beside its name.
_ALSO: Final = {
    "results": "test lab labs laboratory analysis prueba analisis laboratorio",
    "medicines": "medication drug prescription pill medicamento medicina receta pastilla",
    "vaccines": "shot jab immunization immunisation vacunacion inmunizacion",
    "visits": "appointment consultation cita consulta",
    "conditions": "diagnosis problem illness diagnostico enfermedad",
    "procedures": "operation operacion",
}


def keys_of(word: str, is_in: Callable[[bytes], bool]) -> tuple[str, ...]:
    """The keys of all that is called so, as far as `is_in` finds the word in a name."""
    told = _named(translation.get_language() or settings.LANGUAGE_CODE)
    is_long = len(word) >= _SHORTEST
    return tuple(key for key, here, elsewhere in told if is_in(here) or (is_long and is_in(elsewhere)))


def keys_of_alone(word: str) -> Collection[str]:
    """The same of one that is no part of a longer word: one letter, or a number."""
    return _alone(translation.get_language() or settings.LANGUAGE_CODE).get(word.encode(), ())


def names_list(forms: Iterable[str], subject: str) -> bool:
    """Whether a word, in one of its forms, names this list, or a part of its name does."""
    begun = tuple(form[:_BEGINS_ALIKE] for form in forms if len(form) >= _SHORTEST_OF_A_LIST)
    return any(part in forms or part.startswith(begun) for part in _of_list(subject))


def is_month(word: str) -> bool:
    """Whether a month is called so, or in short."""
    return len(word) >= _SHORTEST_OF_A_MONTH and any(month.startswith(word) for month in _months())


@cache
def _months() -> tuple[str, ...]:
    return tuple(_said(MONTHS.values(), [code for code, _name in settings.LANGUAGES]).split())


@cache
def _named(language: str) -> tuple[tuple[str, bytes, bytes], ...]:
    """Of each name its key, and how it is said in this language and in the others. Nothing of it is anybody's."""
    named: list[tuple[str, tuple[object, ...]]] = [
        *[(name.key, (name.words, *name.terms)) for name in plain_names.NAMES],
        *[(illnesses.key_of([illness]), (words,)) for illness, words in illnesses.ILLNESS_WORDS.items()],
        *[(absences.key_of(absence), (words,)) for absence, words in absences.WORDS.items()],
        *[(kind.value, (words,)) for kind, words in (*visits.KIND_WORDS.items(), *family.RELATIVE_WORDS.items())],
    ]
    others = [code for code, _name in settings.LANGUAGES if code != language]
    return tuple((key, _said(names, [language]).encode(), _said(names, others).encode()) for key, names in named)


@cache
def _alone(language: str) -> Mapping[bytes, Collection[str]]:
    found: dict[bytes, set[str]] = defaultdict(set)
    for key, here, elsewhere in _named(language):
        for word in (*_ALONE.findall(here), *(word for word in _ALONE.findall(elsewhere) if len(word) >= _SHORTEST)):
            found[word].add(key)
    return found


@cache
def _of_list(subject: str) -> tuple[str, ...]:
    found = subjects.find(subject)
    name = _said([found.name], [code for code, _name in settings.LANGUAGES]) if found else ""
    return (*[part for part in name.split() if len(part) >= _SHORTEST_OF_A_LIST], *_ALSO.get(subject, "").split())


def _said(names: Iterable[object], languages: Iterable[str]) -> str:
    told = []
    for language in languages:
        with translation.override(language):
            told += [" ".join(words_of(str(name))) for name in names]
    return "\n".join(told)
