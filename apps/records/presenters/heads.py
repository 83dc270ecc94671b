"""What is read from every resource in the same way: the head of its entry.

`head` returns the first fields of any `Entry`, as keywords: `AllergyEntry(**head(resource, concept), ...)`. If the head
`is_withdrawn` or `is_withheld`, a presenter returns at once: such an entry says nothing else (patient experience 3.0).
"""

from collections.abc import Mapping
from typing import TypedDict, TypeVar

from apps.records.presenters import elements
from apps.records.presenters.codeable_concepts import Called, called
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code
from apps.records.presenters.memoizing import memoized
from apps.records.presenters.modifiers import modifiers
from apps.records.presenters.narratives import narrative

_LONGEST_LANGUAGE = 35  # characters of a language tag (RFC 5646, section 4.4.1)
_STATUSES = ("status", "verificationStatus", "clinicalStatus", "lifecycleStatus", "docStatus")
_FORMALITIES = frozenset(
    (
        "resourceType", "id", "meta", "implicitRules", "language", "identifier", "patient", "subject", "beneficiary",
        "contained", "extension", "modifierExtension", *_STATUSES,
    )
)  # fmt: skip
_HIDING_LABELS = frozenset({"masked"})  # not "redacted": parts were left out, but the rest is meant to be read
_SUGGESTING = frozenset({"proposal", "plan", "option"})

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
    """The identity and the name of a resource. `concept` names it: a CodeableConcept, a Coding or a text.

    A resource that was entered in error, or is masked, keeps only its type and id.
    """
    resource_type = elements.text(resource, "resourceType")
    named = called(concept, resource_type) if concept else Called()
    is_withdrawn = was_withdrawn(resource)
    is_withheld = not is_withdrawn and (named.is_hidden or _is_withheld(resource))
    is_told = not is_withdrawn and not is_withheld
    return Head(
        resource_type=resource_type,
        logical_id=elements.text(resource, "id"),
        title=named.title if is_told else "",
        codes=named.codes if is_told else (),
        narrative=narrative(resource) if is_told else "",
        language=elements.text(resource, "language")[:_LONGEST_LANGUAGE] if is_told and "language" in resource else "",
        is_withdrawn=is_withdrawn,
        is_withheld=is_withheld,
        is_modified=is_told and bool(modifiers(resource)),
    )


def status_codes(resource: Element, name: str) -> tuple[str, ...]:
    """The codes of a status in lower case: a text in DSTU2, a CodeableConcept in R4, or by mistake a list of either."""
    value = resource.get(name)
    if isinstance(value, str):
        return _lowered_text(value)
    return _lowered(value) if value else ()


@memoized
def _lowered(value: object) -> tuple[str, ...]:
    return tuple(
        code.lower() for item in (value if isinstance(value, list) else (value,)) for code in elements.codes(item)
    )


def _lowered_text(value: str) -> tuple[str, ...]:
    said = elements.shown(value)
    return (said.lower(),) if said else ()


def mapped(resource: Element, name: str, words: Mapping[str, Word]) -> Word | None:
    """Our word for the first code of an element that we know."""
    return next((words[code] for code in status_codes(resource, name) if code in words), None)


def is_suggested(resource: Element, *, is_a_plan: bool = False) -> bool:
    """Whether the intent is only a suggestion, not an order. For a resource that is itself a plan, the intent "plan" is
    not a suggestion."""
    suggesting = _SUGGESTING - {"plan"} if is_a_plan else _SUGGESTING
    return not suggesting.isdisjoint(status_codes(resource, "intent"))


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


def _has_content(resource: Element) -> bool:
    return any(name not in _FORMALITIES and value and not name.startswith("_") for name, value in resource.items())
