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


class TraitKind(StrEnum):
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

    kind: str
    said: tuple[str, ...]


LABELS: Final[Mapping[str, str | Promise]] = {
    TraitKind.BIRTH_SEX: _("Sex at birth"),
    TraitKind.GENDER_IDENTITY: _("Gender identity"),
    TraitKind.PRONOUNS: _("Pronouns"),
    TraitKind.RACE: _("Race"),
    TraitKind.ETHNICITY: _("Ethnicity"),
    TraitKind.TRIBE: _("Tribe"),
    TraitKind.MARRIAGE: _("Marital status"),
    TraitKind.INTERPRETER: _("Interpreter"),
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
_CODED: Final = frozenset({TraitKind.BIRTH_SEX, TraitKind.INTERPRETER})
_CONCEPTS: Final = ("valueCodeableConcept", "valueCoding")
# By the last part of the extension's address; the rest changed from guide to guide.
_EXTENSIONS: Final[Mapping[str, TraitKind]] = {
    **dict.fromkeys(("us-core-birthsex", "argo-birthsex"), TraitKind.BIRTH_SEX),
    **dict.fromkeys(
        ("us-core-genderidentity", "patient-genderidentity", "individual-genderidentity"), TraitKind.GENDER_IDENTITY
    ),
    **dict.fromkeys(("individual-pronouns", "calculated-pronouns-to-use-for-text"), TraitKind.PRONOUNS),
    **dict.fromkeys(("us-core-race", "argo-race"), TraitKind.RACE),
    **dict.fromkeys(("us-core-ethnicity", "argo-ethnicity"), TraitKind.ETHNICITY),
    "us-core-tribal-affiliation": TraitKind.TRIBE,
    **dict.fromkeys(("patient-interpreterrequired", "us-core-interpreter-needed"), TraitKind.INTERPRETER),
}


def read(patient: Element) -> tuple[Trait, ...]:
    """The demographics of a Patient, by kind."""
    found: dict[TraitKind, dict[str, None]] = {}
    for kind, said in _sent(patient):
        found.setdefault(kind, {})[said] = None
    return tuple(Trait(kind.value, tuple(found[kind])[:_MOST]) for kind in TraitKind if kind in found)


def _sent(patient: Element) -> Iterator[tuple[TraitKind, str]]:
    for extension in elements.children(patient, "extension"):
        kind = _EXTENSIONS.get(elements.text(extension, "url").rstrip("/").rpartition("/")[2].lower())
        if kind is not None:
            values = _keys(kind, extension) if kind in _CODED else _values(extension)
            yield from ((kind, said) for said in values if said)
    marriage = elements.child(patient, "maritalStatus")
    said = title_of(marriage)
    codes = codes_of(marriage)
    known = [key for code in codes if (key := f"{TraitKind.MARRIAGE}-{code.code.lower()}") in WORDS]
    standard = {name.lower() for code in codes for name in (code.code, code.display)}
    if known and said.lower() in {"", *standard}:  # not words of their own, which we keep
        yield TraitKind.MARRIAGE, known[0]
    elif said:
        yield TraitKind.MARRIAGE, said


def _keys(kind: TraitKind, extension: Element) -> Iterator[str]:
    """The keys of our words, for kinds that are shown only in our words."""
    flag = elements.flag(extension, "valueBoolean")
    coded = (code.code for name in _CONCEPTS for code in codes_of(extension.get(name)))
    codes = (elements.text(extension, "valueCode"), str(flag), *coded)
    return (key for code in codes if (key := f"{kind}-{code.lower()}") in WORDS)


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
