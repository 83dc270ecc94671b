"""Demographics other than name and sex, as the provider recorded them. US Core and Argonaut have them in extensions: in
DSTU2 as one concept, in R4 in parts."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import elements
from apps.records.presenters.codeable_concepts import codes_of, title_of
from apps.records.presenters.elements import Element

_MOST: Final = 10  # values of one kind


class Sort(StrEnum):
    """The kinds of demographics, in the order of the page."""

    BIRTH_SEX = "birth-sex"
    GENDER_IDENTITY = "gender-identity"
    PRONOUNS = "pronouns"
    RACE = "race"
    ETHNICITY = "ethnicity"
    TRIBE = "tribe"
    MARRIAGE = "marriage"
    INTERPRETER = "interpreter"


class Trait(msgspec.Struct, frozen=True, gc=False):
    """The demographics of one kind, in the provider's words or as keys of `WORDS`."""

    sort: str
    said: tuple[str, ...]


LABELS: Final[Mapping[str, str | Promise]] = {
    Sort.BIRTH_SEX: _("Sex at birth"),
    Sort.GENDER_IDENTITY: _("Gender identity"),
    Sort.PRONOUNS: _("Pronouns"),
    Sort.RACE: _("Race"),
    Sort.ETHNICITY: _("Ethnicity"),
    Sort.TRIBE: _("Tribe"),
    Sort.MARRIAGE: _("Marital status"),
    Sort.INTERPRETER: _("Interpreter"),
}
WORDS: Final[Mapping[str, str | Promise]] = {
    "birth-sex-f": _("Female"),
    "birth-sex-m": _("Male"),
    "birth-sex-oth": _("Other"),
    "birth-sex-unk": _("Not known"),
    "birth-sex-asku": _("Not known"),
    "marriage-a": _("Annulled"),
    "marriage-c": _("Living as married"),
    "marriage-d": _("Divorced"),
    "marriage-l": _("Legally separated"),
    "marriage-m": _("Married"),
    "marriage-s": _("Never married"),
    "marriage-t": _("Domestic partner"),
    "marriage-u": _("Not married"),
    "marriage-w": _("Widowed"),
    "interpreter-true": _("Needed"),
    "interpreter-373066001": _("Needed"),
}
_CODED: Final = frozenset({Sort.BIRTH_SEX, Sort.INTERPRETER})
_CONCEPTS: Final = ("valueCodeableConcept", "valueCoding")
# By the last part of the extension's address; the rest changed from guide to guide.
_EXTENSIONS: Final[Mapping[str, Sort]] = {
    **dict.fromkeys(("us-core-birthsex", "argo-birthsex"), Sort.BIRTH_SEX),
    **dict.fromkeys(
        ("us-core-genderidentity", "patient-genderidentity", "individual-genderidentity"), Sort.GENDER_IDENTITY
    ),
    **dict.fromkeys(("individual-pronouns", "calculated-pronouns-to-use-for-text"), Sort.PRONOUNS),
    **dict.fromkeys(("us-core-race", "argo-race"), Sort.RACE),
    **dict.fromkeys(("us-core-ethnicity", "argo-ethnicity"), Sort.ETHNICITY),
    "us-core-tribal-affiliation": Sort.TRIBE,
    **dict.fromkeys(("patient-interpreterrequired", "us-core-interpreter-needed"), Sort.INTERPRETER),
}


def read(patient: Element) -> tuple[Trait, ...]:
    """The demographics of a Patient, by kind."""
    found: dict[Sort, dict[str, None]] = {}
    for sort, said in _sent(patient):
        found.setdefault(sort, {})[said] = None
    return tuple(Trait(sort.value, tuple(found[sort])[:_MOST]) for sort in Sort if sort in found)


def _sent(patient: Element) -> Iterator[tuple[Sort, str]]:
    for extension in elements.children(patient, "extension"):
        sort = _EXTENSIONS.get(elements.text(extension, "url").rstrip("/").rpartition("/")[2].lower())
        if sort is not None:
            values = _keys(sort, extension) if sort in _CODED else _values(extension)
            yield from ((sort, said) for said in values if said)
    marriage = elements.child(patient, "maritalStatus")
    said = title_of(marriage)
    codes = codes_of(marriage)
    known = [key for code in codes if (key := f"{Sort.MARRIAGE}-{code.code.lower()}") in WORDS]
    standard = {name.lower() for code in codes for name in (code.code, code.display)}
    if known and said.lower() in {"", *standard}:  # not words of their own, which we keep
        yield Sort.MARRIAGE, known[0]
    elif said:
        yield Sort.MARRIAGE, said


def _keys(sort: Sort, extension: Element) -> Iterator[str]:
    """The keys of our words, for kinds that are shown only in our words."""
    flag = elements.flag(extension, "valueBoolean")
    coded = (code.code for name in _CONCEPTS for code in codes_of(extension.get(name)))
    codes = (elements.text(extension, "valueCode"), str(flag), *coded)
    return (key for code in codes if (key := f"{sort}-{code.lower()}") in WORDS)


def _values(extension: Element) -> Iterator[str]:
    """The values of an extension: its text, else those of its parts, else its own value."""
    parts = list(elements.children(extension, "extension"))
    texts = [elements.text(part, "valueString") for part in parts if elements.text(part, "url") == "text"]
    return iter(texts) if any(texts) else map(_value, parts or [extension])


def _value(element: Element) -> str:
    """A value in words: for a concept, first the names of its codes, because some servers send the text "race" for
    every race."""
    concept = next(filter(None, (elements.child(element, name) for name in _CONCEPTS)), {})
    named = dict.fromkeys(title_of({"coding": [coding]}) for coding in elements.children(concept, "coding"))
    if "coding" not in concept:
        named = {title_of(concept): None}
    said = ", ".join(filter(None, named)) or elements.text(concept, "text") or elements.text(element, "valueString")
    return "" if said.lower() == "unknown" else said
