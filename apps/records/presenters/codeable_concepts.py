"""The name of a CodeableConcept, and its codes. A Coding or a plain text in its place is read the same way."""

import re
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code
from apps.records.presenters.memoizing import memoized

_MOST = 30  # codings of one concept; more can only be an error
_NUMBERED = re.compile(r"[0-9][0-9.-]*|[A-Z][0-9][0-9A-Z]\.[0-9A-Z]+")  # as LOINC, RxNorm and ICD-10 write them
# Sent in place of a name. Na means sodium, and so may a laboratory's NA, if there is no other name.
_NO_NAMES = frozenset({"n/a", "unknown"})
_MAY_BE_NAMES = frozenset({"NA", "na"})
_MAY_BE_NONE = (  # resource types for which "none" says that there is nothing of the kind
    "AllergyIntolerance", "Condition", "Device", "FamilyMemberHistory", "Immunization", "Medication", "Procedure",
)  # fmt: skip
_NO_WORDS = ("data-absent-reason", "v3-nullflavor", "v3/nullflavor")  # code systems whose displays name nothing


class Called(NamedTuple):
    """The name and the codes of a concept, and whether the provider hides them."""

    title: str = ""
    codes: tuple[Code, ...] = ()
    is_hidden: bool = False


@memoized
def called(concept: object, resource_type: str) -> Called:
    """What a concept calls the thing that a resource of this type is about. For some types, "none" counts as a name:
    it says that there is nothing of the kind."""
    title = title_of(concept)
    says_none = title.casefold() == "none" and resource_type.startswith(_MAY_BE_NONE)
    name = title if says_none else name_in(concept)
    return Called(name, codes_of(concept), isinstance(concept, dict) and _is_hidden(concept))


@memoized
def title_of(concept: object) -> str:
    """What the provider calls it: the text, else the first display. A code (`is_code`) or a substitute for a name ("-",
    "N/A") counts only if there is no other name, and a word for "unknown" never. This is also for values: "None" may
    be one."""
    if not isinstance(concept, dict):
        return elements.shown(concept)
    return min(_said(concept, codes_of(concept)), key=_standing, default="")


@memoized
def name_in(concept: object) -> str:
    """The same, if only a name will do: "None" counts only if there is no other name, "N/A" only if there is not even a
    code, and "-" never."""
    if not isinstance(concept, dict):
        return first_name((elements.shown(concept),))
    codings = codes_of(concept)
    name = first_name(_said(concept, codings))
    return "" if name.casefold() in _NO_NAMES and codings else name


def _said(concept: Element, codings: tuple[Code, ...]) -> list[str]:
    """The text and the displays, without those that mean "unknown"."""
    if not codings:
        said = elements.text(concept, "text")
        return [] if not said or said.casefold() == "unknown" else [said]
    empty = {coding.code.casefold() for coding in codings if _says_nothing(coding)} | {"unknown"}
    empty |= {coding.display.casefold() for coding in codings if _says_nothing(coding)}
    said = elements.text(concept, "text")
    codes = {coding.code for coding in codings}
    displays = [coding.display for coding in codings if coding.display and coding.display.casefold() not in empty]
    if said and said.casefold() not in empty and (said not in codes or not displays):
        displays = [said, *displays]
    return displays


class _Standing(IntEnum):
    """How well a text serves as a name, the best first."""

    NAME = 0
    CODE = 1
    IN_PLACE_OF_ONE = 2
    NOTHING = 3


def _standing(said: str) -> _Standing:
    if not any(map(str.isalnum, said)) or said.casefold() == "null":
        return _Standing.NOTHING
    if said.casefold() in _NO_NAMES or said in _MAY_BE_NAMES:
        return _Standing.IN_PLACE_OF_ONE
    return _Standing.CODE if is_code(said) else _Standing.NAME


def first_name(said: Iterable[str]) -> str:
    """The first text that is a name; without one, the first code; else the first substitute for a name, such as "N/A"
    or "None". Never a text that says nothing, such as "-" or "null"."""
    spare: list[tuple[_Standing, int, str]] = []
    for name in filter(None, said):
        standing = _Standing.IN_PLACE_OF_ONE if name.casefold() == "none" else _standing(name)
        if standing is _Standing.NAME:
            return name
        if standing is not _Standing.NOTHING:
            spare.append((standing, len(spare), name))
    return min(spare)[-1] if spare else ""


def is_in_place_of_a_name(said: str) -> bool:
    """Whether a text is neither a name nor a code: "", "-", "null", "N/A", "None", "unknown"."""
    return _standing(said) > _Standing.CODE or said.casefold() == "none"


def is_code(name: str) -> bool:
    """Whether a name is written as only codes are, such as MDC_ECG_ELEC_POTL, 718-7 or J30.1. TSH, CO2 and COVID-19 are
    names."""
    if " " in name:  # no code has a space, and most names have one
        return False
    return "_" in name.strip("_") or name.startswith("urn:") or _NUMBERED.fullmatch(name) is not None


@memoized
def codes_of(concept: object) -> tuple[Code, ...]:
    """The codings of a CodeableConcept, or the Coding itself; empty if there is no coding."""
    if not isinstance(concept, dict):
        return ()
    codings = elements.children(concept, "coding") if "coding" in concept else iter((concept,))
    found = (
        Code(elements.text(coding, "system"), elements.text(coding, "code"), elements.text(coding, "display"))
        for coding in codings
    )
    return tuple(dict.fromkeys(code for code in found if code.code or code.display))[:_MOST]


def _is_hidden(concept: Element) -> bool:
    return elements.absent_reason(concept) == "masked" or any(_is_masked(coding) for coding in codes_of(concept))


def _is_masked(coding: Code) -> bool:
    return _says_nothing(coding) and coding.code.lower() in {"masked", "msk"}


def _says_nothing(coding: Code) -> bool:
    return coding.system.lower().endswith(_NO_WORDS)
