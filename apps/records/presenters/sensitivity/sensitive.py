"""What many people keep to themselves: mental health, alcohol, drugs and tobacco, HIV and other infections that sex
passes on, pregnancies and how they ended, violence, suicide, and how somebody lives (patient experience 2.1 and 5.4).

A share leaves it out unless its owner wants it told. Told by what an entry is called and by its codes, and by what else
its row may say: a plan names the illness that it is for. That it is ruled out, denied, over or only possible changes
nothing: "HIV negative contact" tells that somebody was asked about. What a provider hides is taken for it, too.

It is a default, and no promise. Medicines, allergies, vaccines and insurance are never it, since whoever treats
somebody must not miss one, though a medicine can tell the same. Nor does it know what stands in files and long texts,
words of other languages, codes of a provider's own, or that a doctor, a clinic or a gap in a list can tell it. Whoever
shares is shown what is left out, and sees the page first.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec

from apps.records.presenters import normalizing, plain_names
from apps.records.presenters.allergies import AllergyEntry
from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.entry import Code, Entry
from apps.records.presenters.immunizations import ImmunizationEntry, RecommendationEntry
from apps.records.presenters.insurance import CoverageEntry
from apps.records.presenters.medicines.medications import MedicationEntry
from apps.records.presenters.memoizing import memoized
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.observations.values import Value
from apps.records.presenters.sensitivity import delicate, sensitive_codes, sensitive_words

_NEVER: Final = (MedicationEntry, AllergyEntry, ImmunizationEntry, RecommendationEntry, CoverageEntry)
# Where entries of any kind name things, in words or codes.
_NAMING: Final = (
    "title", "codes", "people", "reasons", "reasons_not", "evidence", "stages", "types", "service", "class_said",
    "category", "categories", "category_codes", "name", "about", "specialties", "custodian", "description",
    "activities", "goals", "outcome", "outcomes", "conclusion", "conclusion_names", "complications", "canceled",
    "handled", "devices", "particulars", "diagnoses", "conditions", "participants", "members", "organizations",
    "clinic", "place", "places", "model", "specimen",
)  # fmt: skip
_NAMING_A_RESULT: Final = ("title", "codes", "people", "device", "specimen")  # of which there are thousands


def is_sensitive(entry: Entry) -> bool:
    """By its kind, its codes, or what it names."""
    if isinstance(entry, _NEVER):
        return False
    return entry.is_withheld or delicate.is_delicate(entry) or _is_told_by(entry.resource_type, *_named(entry))


def _named(entry: Entry) -> tuple[tuple[Code, ...], tuple[Any, ...]]:
    """Its codes, and all in which it names something."""
    if isinstance(entry, ResultEntry):
        own = tuple(getattr(entry, name) for name in _NAMING_A_RESULT)
        parts = tuple((part.title, part.codes, _found(part.value)) for part in entry.components)
        return entry.codes, (own, _found(entry.value), parts)
    said = entry.said if isinstance(entry, ConditionEntry) else ()  # on paper its notes stand beside it
    return entry.codes, (tuple(getattr(entry, name) for name in _naming(type(entry))), said)


@cache
def _naming(kind: type[Entry]) -> tuple[str, ...]:
    return tuple(name for name in _NAMING if hasattr(kind, name))


def _found(value: Value) -> tuple[str, tuple[Code, ...]]:
    """What was found, where that is no number."""
    return value.text, value.codes


@memoized
def _is_told_by(resource_type: str, codes: tuple[Code, ...], named: tuple[Any, ...]) -> bool:
    """Whether any of it tells, or what we call such a thing: of thousands of results most name the same."""
    plain = plain_names.of_resource(resource_type, codes)
    ours = str(plain.words) if plain is not None else ""
    return _tells(ours) or any(map(_tells, _parts(named)))


def _parts(value: Any) -> Iterator[str | Code]:
    """The words and codes in whatever this is."""
    if isinstance(value, Code):
        yield value
        yield value.display
    elif isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _parts(each)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _parts(getattr(value, name))


def _tells(named: str | Code) -> bool:
    if isinstance(named, Code):
        return sensitive_codes.is_one(named)
    return bool(named) and _is_named_so(named)


@memoized
def _is_named_so(text: str) -> bool:
    return sensitive_words.are_in(normalizing.normalized(text))
