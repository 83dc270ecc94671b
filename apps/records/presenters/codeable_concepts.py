"""What a CodeableConcept is called, and its codes. A Coding, or a mere text in its place, is read the same way."""

import re
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code
from apps.records.presenters.memoizing import memoized

_MOST = 30  # codings of one concept; more is an accident
_NUMBERED = re.compile(r"[0-9][0-9.-]*|[A-Z][0-9][0-9A-Z]\.[0-9A-Z]+")  # as LOINC, RxNorm and ICD-10 write them
# Put where a name should be. Na is sodium, and in a laboratory's capitals NA is, too, where nothing else names it.
_NO_NAMES = frozenset({"n/a", "unknown"})
_MAY_BE_NAMES = frozenset({"NA", "na"})
_MAY_BE_NONE = (  # types of which "none" says that there is nothing of the kind
    "AllergyIntolerance", "Condition", "Device", "FamilyMemberHistory", "Immunization", "Medication", "Procedure",
)  # fmt: skip
_NO_WORDS = ("data-absent-reason", "v3-nullflavor", "v3/nullflavor")  # systems whose displays name nothing


class Called(NamedTuple):
    """What a concept says, and whether the provider hides that."""

    title: str = ""
    codes: tuple[Code, ...] = ()
    is_hidden: bool = False


@memoized
def called(concept: object, resource_type: str) -> Called:
    """What it calls the thing that a resource of that type is about: of some types "none" says that there is none."""
    title = title_of(concept)
    says_none = title.casefold() == "none" and resource_type.startswith(_MAY_BE_NONE)
    name = title if says_none else name_in(concept)
    return Called(name, codes_of(concept), isinstance(concept, dict) and _is_hidden(concept))


@memoized
def title_of(concept: object) -> str:
    """What the provider calls it: the text, else the first display, and what is a code (`is_code`), or stands in place
    of a name ("-", "N/A"), only where nothing else names it. No word that says "unknown". For values as well: "None"
    is one."""
    if not isinstance(concept, dict):
        return elements.shown(concept)
    return min(_said(concept, codes_of(concept)), key=_standing, default="")


@memoized
def name_in(concept: object) -> str:
    """The same for what has to be a name: "None" is one only where nothing else is, and "-" never. "N/A" is none where
    a code can tell more."""
    if not isinstance(concept, dict):
        return first_name((elements.shown(concept),))
    codings = codes_of(concept)
    name = first_name(_said(concept, codings))
    return "" if name.casefold() in _NO_NAMES and codings else name


def _said(concept: Element, codings: tuple[Code, ...]) -> list[str]:
    """Its text and displays, without what says that nothing is known."""
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
    """How well what was sent as a name serves as one."""

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
    """The first that is a name; where none is, what is a code, else what often stands in place of one: "N/A", "None".
    What says nothing, "-" or "null", never."""
    spare: list[tuple[_Standing, int, str]] = []
    for name in filter(None, said):
        standing = _Standing.IN_PLACE_OF_ONE if name.casefold() == "none" else _standing(name)
        if standing is _Standing.NAME:
            return name
        if standing is not _Standing.NOTHING:
            spare.append((standing, len(spare), name))
    return min(spare)[-1] if spare else ""


def is_in_place_of_a_name(said: str) -> bool:
    """Whether it is no name, nor a code: "", "-", "null", "N/A", "None", "unknown"."""
    return _standing(said) > _Standing.CODE or said.casefold() == "none"


def is_code(name: str) -> bool:
    """Whether what was sent as a name is written as only codes are, like MDC_ECG_ELEC_POTL, 718-7 or J30.1. TSH,
    CO2 and COVID-19 are names."""
    if " " in name:  # no code has one, and most names do
        return False
    return "_" in name.strip("_") or name.startswith("urn:") or _NUMBERED.fullmatch(name) is not None


@memoized
def codes_of(concept: object) -> tuple[Code, ...]:
    """The codings of a CodeableConcept, or the one Coding given; none where nothing is coded."""
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
