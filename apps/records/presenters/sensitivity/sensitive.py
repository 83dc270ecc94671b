"""What many people keep to themselves: mental health, alcohol, drugs and tobacco, HIV and other sexually transmitted
infections, pregnancies and how they ended, violence, suicide, and how somebody lives (patient experience 2.1 and 5.4).

A share leaves it out unless its owner includes it. We judge by an entry's name and codes, and by all else that its row
may say: a plan names the illness that it is for. It does not matter if something is ruled out, denied, over or only
possible: "HIV negative contact" reveals what somebody was asked about. What a provider hides counts as sensitive, too.

This is a default, not a promise. Medicines, allergies, vaccines and insurance are never sensitive, although a medicine
can reveal an illness: those who treat somebody must not miss one. We also cannot judge files and long texts, words in
other languages and a provider's own codes, or what a doctor, a clinic or a gap in a list may reveal. Before they share,
owners see what is left out, and the page itself.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec

from apps.records.presenters import normalizing, plain_names
from apps.records.presenters.allergies import AllergyEntry
from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Code, Entry
from apps.records.presenters.immunizations import ImmunizationEntry, RecommendationEntry
from apps.records.presenters.insurance import CoverageEntry
from apps.records.presenters.medicines.medications import MedicationEntry
from apps.records.presenters.memoizing import memoized
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.observations.values import Value
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.sensitivity import delicate, sensitive_codes, sensitive_words

_NEVER: Final = (MedicationEntry, AllergyEntry, ImmunizationEntry, RecommendationEntry, CoverageEntry)
# The fields in which entries of any kind name things, in words or codes.
_NAMING: Final = (
    "title", "codes", "people", "reasons", "reasons_not", "evidence", "stages", "types", "service", "class_said",
    "category", "categories", "category_codes", "name", "about", "specialties", "custodian", "description",
    "activities", "goals", "outcome", "outcomes", "conclusion", "conclusion_names", "complications", "canceled",
    "handled", "devices", "particulars", "diagnoses", "conditions", "participants", "members", "organizations",
    "clinic", "place", "places", "model", "specimen", "relations", "reports",
)  # fmt: skip
# Fewer fields, since there are thousands of results.
_NAMING_A_RESULT: Final = ("title", "codes", "people", "device", "specimen")


def is_sensitive(entry: Entry) -> bool:
    """Whether an entry is sensitive, by its kind, its codes, or what it names."""
    if isinstance(entry, _NEVER):
        return False
    return entry.is_withheld or delicate.is_delicate(entry) or _is_told_by(entry.resource_type, *_named(entry))


def _named(entry: Entry) -> tuple[tuple[Code, ...], tuple[Any, ...]]:
    """The codes of an entry, and the values of all fields in which it names something."""
    if isinstance(entry, ResultEntry):
        own = tuple(getattr(entry, name) for name in _NAMING_A_RESULT)
        parts = tuple((part.title, part.codes, _found(part.value)) for part in entry.components)
        return entry.codes, (own, _found(entry.value), parts)
    said = entry.said if isinstance(entry, ConditionEntry) else ()  # on paper, a condition's notes are beside it
    return entry.codes, (tuple(getattr(entry, name) for name in _naming(type(entry))), said, _titles_of_files(entry))


def _titles_of_files(entry: Entry) -> tuple[str, ...]:
    """Where a page leads to files, it names each of them. Their addresses and formats name nothing."""
    if isinstance(entry, DocumentEntry):
        return tuple(file.described.title for file in entry.files)
    return tuple(form.title for form in entry.forms) if isinstance(entry, ReportEntry) else ()


@cache
def _naming(kind: type[Entry]) -> tuple[str, ...]:
    return tuple(name for name in _NAMING if hasattr(kind, name))


def _found(value: Value) -> tuple[str, tuple[Code, ...]]:
    """The words and codes of a value; a number has none."""
    return value.text, value.codes


@memoized
def _is_told_by(resource_type: str, codes: tuple[Code, ...], named: tuple[Any, ...]) -> bool:
    """Whether anything named, or our plain name for it, is sensitive. Memoized: most results name the same things."""
    plain = plain_names.of_resource(resource_type, codes)
    ours = str(plain.words) if plain is not None else ""
    return _tells(ours) or any(map(_tells, _parts(named)))


def _parts(value: Any) -> Iterator[str | Code]:
    """The words and codes in a value of any type."""
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
