"""Modifier extensions (FHIR `modifierExtension`): each may reverse the meaning of a resource, or of a part of it. Each
is shown as sent, where no reader can miss it."""

from collections.abc import Iterator
from itertools import islice

from apps.records.presenters import elements, outline
from apps.records.presenters.elements import Element

_MOST = 30  # parts with modifiers in one resource; more can only be an error
_WITH_THEIR_OWN_LINES = frozenset({"dosage", "dosageInstruction", "modifierExtension"})


def modifiers(resource: Element) -> tuple[str, ...]:
    """The modifiers of the resource itself, each on one line."""
    parts = islice((part for part in parts_told_as_one(resource) if "modifierExtension" in part), _MOST)
    return tuple(said for part in parts for said in outline.as_sent(part, "modifierExtension"))


def modifiers_within(resource: Element) -> tuple[str, ...]:
    """The modifiers of all other parts, each after the name of its part: they may change who is meant, or what is
    allowed. Dosages are left out, since they show their own (`dosing`)."""
    told = {id(part) for part in parts_told_as_one(resource)}
    parts = (found for found in _modified(resource, "", 0) if id(found[1]) not in told)
    return tuple(
        dict.fromkeys(
            f"{outline.label_of(name)}: {said}"
            for name, part in islice(parts, elements.MOST_REPEATED)
            for said in outline.as_sent(part, "modifierExtension")
        )
    )[:_MOST]


def modified_parts(resource: Element) -> Iterator[Element]:
    """The resource and those of its parts that have a modifier, except dosages."""
    return (part for _name, part in _modified(resource, "", 0))


def _modified(part: Element, name: str, depth: int) -> Iterator[tuple[str, Element]]:
    if "modifierExtension" in part:
        yield name, part
    if depth > outline.DEEPEST:
        return
    for inner, value in part.items():
        if inner not in _WITH_THEIR_OWN_LINES and isinstance(value, dict | list):
            for item in value if isinstance(value, list) else (value,):
                if isinstance(item, dict):
                    yield from _modified(item, inner, depth + 1)


def parts_told_as_one(resource: Element) -> Iterator[Element]:
    """A resource, and those of its parts that a list shows together with it, without distinguishing them: the values of
    one measurement, the reactions to one substance."""
    yield resource
    for name in ("component", "reaction"):
        if name in resource:
            yield from elements.children(resource, name)


def implicit_rules(resource: Element) -> str:
    """The address of the rules under which the resource was written (FHIR `implicitRules`), or empty. A reader who does
    not know the rules may misunderstand the resource."""
    return elements.text(resource, "implicitRules") if "implicitRules" in resource else ""
