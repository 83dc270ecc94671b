"""What is read alike from every resource: the head of its entry.

`head` gives the first fields of any `Entry`, as keywords: `AllergyEntry(**head(resource, concept), ...)`. A presenter
returns at once what `is_withdrawn` or `is_withheld`: such an entry says nothing else (patient experience 3.0).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from itertools import islice
from typing import NamedTuple, TypedDict, TypeVar

from apps.records.presenters import elements, outline
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code
from apps.records.presenters.narratives import narrative
from apps.records.presenters.remembering import remembered

_MOST = 30  # codings of one concept; more is an accident
_LONGEST_LANGUAGE = 35  # letters of a tag (RFC 5646, section 4.4.1)
_TELLING_THEIR_OWN = frozenset({"dosage", "dosageInstruction", "modifierExtension"})
_STATUSES = ("status", "verificationStatus", "clinicalStatus", "lifecycleStatus", "docStatus")
_FORMALITIES = frozenset(
    (
        "resourceType", "id", "meta", "implicitRules", "language", "identifier", "patient", "subject", "beneficiary",
        "contained", "extension", "modifierExtension", *_STATUSES,
    )
)  # fmt: skip
_HIDING_LABELS = frozenset({"masked"})  # "redacted" means that parts were left out: the rest was meant to be read
_SUGGESTING = frozenset({"proposal", "plan", "option"})
_NUMBERED = re.compile(r"[0-9][0-9.-]*|[A-Z][0-9][0-9A-Z]\.[0-9A-Z]+")  # as LOINC, RxNorm and ICD-10 write them
# Put where a name should be. Na is sodium, and in a laboratory's capitals NA is, too, where nothing else names it.
_NO_NAMES = frozenset({"n/a", "unknown"})
_MAY_BE_NAMES = frozenset({"NA", "na"})
_MAY_BE_NONE = (  # types of which "none" says that there is nothing of the kind
    "AllergyIntolerance", "Condition", "Device", "FamilyMemberHistory", "Immunization", "Medication", "Procedure",
)  # fmt: skip
_NO_WORDS = ("data-absent-reason", "v3-nullflavor", "v3/nullflavor")  # systems whose displays name nothing

Word = TypeVar("Word")


class Head(TypedDict):
    """The fields of `Entry` that need no knowledge of the resource type."""

    resource_type: str
    logical_id: str
    title: str
    codes: tuple[Code, ...]
    narrative: str
    language: str
    is_withdrawn: bool
    is_withheld: bool
    is_modified: bool


def head(resource: Element, concept: object = None) -> Head:
    """Which resource it is and what it is called. `concept` is what names it: a CodeableConcept, a Coding or a text.

    What was entered in error keeps its type and id alone; what is masked keeps them, too.
    """
    resource_type = elements.text(resource, "resourceType")
    called = _called(concept, resource_type) if concept else _Called()
    is_withdrawn = was_withdrawn(resource)
    is_withheld = not is_withdrawn and (called.is_hidden or _is_withheld(resource))
    is_told = not is_withdrawn and not is_withheld
    return Head(
        resource_type=resource_type,
        logical_id=elements.text(resource, "id"),
        title=called.title if is_told else "",
        codes=called.codes if is_told else (),
        narrative=narrative(resource) if is_told else "",
        language=elements.text(resource, "language")[:_LONGEST_LANGUAGE] if is_told and "language" in resource else "",
        is_withdrawn=is_withdrawn,
        is_withheld=is_withheld,
        is_modified=is_told and bool(modifiers(resource)),
    )


class _Called(NamedTuple):
    """What a concept says, and whether the provider hides that."""

    title: str = ""
    codes: tuple[Code, ...] = ()
    is_hidden: bool = False


@remembered
def _called(concept: object, resource_type: str) -> _Called:
    title = title_of(concept)
    says_none = title.casefold() == "none" and resource_type.startswith(_MAY_BE_NONE)
    name = title if says_none else name_in(concept)
    return _Called(name, codes_of(concept), isinstance(concept, dict) and _is_hidden(concept))


@remembered
def title_of(concept: object) -> str:
    """What the provider calls it: the text, else the first display, and what is a code (`is_code`), or stands in place
    of a name ("-", "N/A"), only where nothing else names it. No word that says "unknown". For values as well: "None"
    is one."""
    if not isinstance(concept, dict):
        return elements.shown(concept)
    return min(_said(concept, codes_of(concept)), key=_standing, default="")


@remembered
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


@remembered
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


def status_codes(resource: Element, name: str) -> tuple[str, ...]:
    """The codes of a status in lower case: one text in DSTU2, a CodeableConcept in R4, either as a list by mistake."""
    value = resource.get(name)
    if isinstance(value, str):
        return _lowered_text(value)
    return _lowered(value) if value else ()


@remembered
def _lowered(value: object) -> tuple[str, ...]:
    return tuple(
        code.lower() for item in (value if isinstance(value, list) else (value,)) for code in elements.codes(item)
    )


def _lowered_text(value: str) -> tuple[str, ...]:
    said = elements.shown(value)
    return (said.lower(),) if said else ()


def mapped(resource: Element, name: str, words: Mapping[str, Word]) -> Word | None:
    """The first code of an element that is one of ours, as our word for it."""
    return next((words[code] for code in status_codes(resource, name) if code in words), None)


def is_suggested(resource: Element, *, is_a_plan: bool = False) -> bool:
    """Whether its intent only suggests, and orders nothing. Of what is a plan itself, "plan" says what it is."""
    suggesting = _SUGGESTING - {"plan"} if is_a_plan else _SUGGESTING
    return not suggesting.isdisjoint(status_codes(resource, "intent"))


def modifiers(resource: Element) -> tuple[str, ...]:
    """What may turn all of a resource, or of a part, around (FHIR calls it a modifier): as sent, on one line."""
    parts = islice((part for part in told_together(resource) if "modifierExtension" in part), _MOST)
    return tuple(said for part in parts for said in outline.as_sent(part, "modifierExtension"))


def modifiers_within(resource: Element) -> tuple[str, ...]:
    """The same of all its other parts, each after the name of that part: who is meant, or what is allowed, may be
    turned around as well. A dosage tells its own (`dosing`)."""
    told = {id(part) for part in told_together(resource)}
    parts = (found for found in _modified(resource, "", 0) if id(found[1]) not in told)
    return tuple(
        dict.fromkeys(
            f"{outline.label_of(name)}: {said}"
            for name, part in islice(parts, elements.MOST_REPEATED)
            for said in outline.as_sent(part, "modifierExtension")
        )
    )[:_MOST]


def modified_parts(resource: Element) -> Iterator[Element]:
    """The resource, and any part of it, that says what may turn it around; no dosage."""
    return (part for _name, part in _modified(resource, "", 0))


def _modified(part: Element, name: str, depth: int) -> Iterator[tuple[str, Element]]:
    if "modifierExtension" in part:
        yield name, part
    if depth > outline.DEEPEST:
        return
    for inner, value in part.items():
        if inner not in _TELLING_THEIR_OWN and isinstance(value, dict | list):
            for item in value if isinstance(value, list) else (value,):
                if isinstance(item, dict):
                    yield from _modified(item, inner, depth + 1)


def rules(resource: Element) -> str:
    """By which rules of its own it was written, as an address; empty where none are named. FHIR: whoever does not know
    them may read it as something else than it is."""
    return elements.text(resource, "implicitRules") if "implicitRules" in resource else ""


def told_together(resource: Element) -> Iterator[Element]:
    """A resource, and those of its parts of which a list tells what they say without telling them apart: the values of
    one measurement, the reactions to one substance."""
    yield resource
    for name in ("component", "reaction"):
        if name in resource:
            yield from elements.children(resource, name)


def notes(resource: Element, *names: str) -> tuple[str, ...]:
    """The provider's free text: Annotations, or the plain text that DSTU2 has in their place. Before it, as it was
    sent, what may turn all of the resource around: nobody may read past a modifier."""
    said = [text for name in names for text in _written(resource.get(name))]
    return tuple(dict.fromkeys((*modifiers(resource), *said)))[:_MOST]


def _written(notes: object) -> Iterator[str]:
    each = notes if isinstance(notes, list) else [notes]
    said = (elements.prose(note.get("text") if isinstance(note, dict) else note) for note in each)
    return filter(None, said)


def was_withdrawn(resource: Element) -> bool:
    """Whether the provider marked it as entered in error."""
    return any("entered-in-error" in status_codes(resource, name) for name in _STATUSES if name in resource)


def _is_withheld(resource: Element) -> bool:
    return (
        ("extension" in resource and elements.absent_reason(resource) == "masked")
        or _is_labeled_as_hidden(elements.child(resource, "meta"))
        or not _has_content(resource)
    )


def _is_labeled_as_hidden(meta: Element) -> bool:
    if "security" not in meta:
        return False
    labels = elements.children(meta, "security")
    return any(elements.text(label, "code").lower() in _HIDING_LABELS for label in labels)


def _is_hidden(concept: Element) -> bool:
    return elements.absent_reason(concept) == "masked" or any(_is_masked(coding) for coding in codes_of(concept))


def _is_masked(coding: Code) -> bool:
    return _says_nothing(coding) and coding.code.lower() in {"masked", "msk"}


def _says_nothing(coding: Code) -> bool:
    return coding.system.lower().endswith(_NO_WORDS)


def _has_content(resource: Element) -> bool:
    return any(name not in _FORMALITIES and value and not name.startswith("_") for name, value in resource.items())
