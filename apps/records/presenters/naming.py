"""Whom and what a Reference means, by name, as sent (patient experience 3.0, People).

The display comes first, being what the provider wrote there; where there is none, the resource it points to is asked.
No title is invented, and an id is no name.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.codeable_concepts import codes_of, first_name, title_of
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code, Context
from apps.records.presenters.narratives import narrative, opening

# A relative or absolute literal reference, perhaps to one version of the patient (FHIR, references), however untidy. It
# is the end of the address that names somebody: a server's own path may hold /patient/, too.
_PATIENT = re.compile(r"(?:^|/)Patient/(?P<id>[^/?#\s]+)(?:/|/_history/[^?#]*)?(?:[?#].*)?$", re.IGNORECASE)
PAST = frozenset({"old", "maiden"})  # uses of names that people have no more
_MOST = 20  # people of one entry; more is an accident
_NAMING = ("code", "vaccineCode", "medicationCodeableConcept", "substance", "type", "class")
_LINKS = ("practitioner", "medicationReference", "medication", "organization")
_PRODUCTS = frozenset({"medicationReference", "medication"})
_LONGEST_NAME = 100  # of a narrative that is no more than one


class Person(msgspec.Struct, frozen=True, gc=False):
    """Somebody who took part, with the role as sent, if any."""

    name: str = ""
    role: str = ""


def name_of(reference: object, context: Context, *, within: Element) -> str:
    """What a Reference calls its target, else what the target is called; empty where neither says it. A code that
    stands beside a reference is its name only where the target has none."""
    return first_name(_names(reference, context, within))


def beside(reference: object) -> str:
    """What a Reference calls its target. What only points to it (#m1, Medication/m1) names nothing."""
    said = elements.text(reference, "display")
    if not said or said.startswith(("#", "urn:")) or said == elements.text(reference, "reference"):
        return ""
    return "" if said == id_of(reference) and any(map(str.isdigit, said)) else said


def own_name(resource: Element, context: Context, *, within: Element | None = None) -> str:
    """What a resource is called: the name of a person or place, else what its code says, else what it is made of.
    `within` is what it is contained in, if anything."""
    return first_name(_own_names(resource, context, resource if within is None else within)) if resource else ""


def parts_of(product: Element) -> Iterator[Element]:
    """The ingredients of a Medication, or of the product that DSTU2 has in it."""
    return chain(
        elements.children(product, "ingredient"), elements.children(elements.child(product, "product"), "ingredient")
    )


def name_of_part(part: Element, context: Context, *, within: Iterable[Element]) -> str:
    """An ingredient: `itemCodeableConcept` or `itemReference` in R4, a reference in DSTU2, to what one of `within`
    contains perhaps. One that is made of others itself has no name but its own."""
    reference = part.get("itemReference") or part.get("item")
    found = next(filter(None, (context.find(reference, within=whole) for whole in within)), {})
    coded = title_of(part.get("itemCodeableConcept"))
    return first_name((coded, beside(reference), _named(found), *_coded(found)))


def told_alone(resource: Element) -> str:
    """A narrative that is no more than a name: one short line in which nothing is labeled."""
    said = narrative(resource)
    is_plain = len(said) <= _LONGEST_NAME and said == opening(said) and ":" not in said
    return said if is_plain else ""


def names_of(references: Iterable[Element], context: Context, *, within: Element) -> tuple[str, ...]:
    """Every name, once each."""
    named = (name_of(reference, context, within=within) for reference in references)
    return tuple(dict.fromkeys(filter(None, named)))[:_MOST]


def people_of(people: Iterable[Person]) -> tuple[Person, ...]:
    """Those with a name or a role, once each."""
    return tuple(dict.fromkeys(person for person in people if person.name or person.role))[:_MOST]


def reasons(resource: Element, context: Context, coded: Iterable[str], referred: Iterable[str]) -> tuple[str, ...]:
    """Why, from concepts of these names and from references of those, once each."""
    said = [*titles(resource, *coded)]
    said += names_of(_all(resource, referred), context, within=resource)
    return tuple(dict.fromkeys(said))[:_MOST]


def titles(resource: Element, *names: str) -> tuple[str, ...]:
    """What the concepts or texts of these names say, once each."""
    values = (value for name in names for value in _values(resource, name))
    return tuple(dict.fromkeys(filter(None, map(title_of, values))))[:_MOST]


def besides_codes(concept: Element) -> str:
    """The text of a concept, where it says another thing than the name or the code of one of its codings."""
    said = elements.text(concept, "text")
    coded = {word.casefold() for coding in codes_of(concept) for word in (coding.code, coding.display)}
    return "" if said.casefold() in coded else said


def codings(resource: Element, *names: str) -> tuple[Code, ...]:
    """The codings of the concepts of these names."""
    return tuple(dict.fromkeys(code for concept in _all(resource, names) for code in codes_of(concept)))[:_MOST]


def is_patient(reference: object) -> bool:
    """Whether it points to a Patient."""
    written = elements.text(reference, "reference")
    if "Patient" in written and "Patient" in written.partition("/_history/")[0].split("/")[-2:-1]:
        return True
    return elements.text(reference, "type") == "Patient"


def patient_in(reference: str) -> str:
    """The logical id of the Patient that the text of a reference names; empty where it names none, or one contained."""
    named = _PATIENT.search(reference.strip())
    return named["id"] if named else ""


def id_of(reference: object) -> str:
    """The logical id that a Reference ends with; empty for a contained one."""
    written = elements.text(reference, "reference").partition("/_history/")[0]
    return "" if written.startswith("#") else written.rpartition("/")[2].removeprefix("urn:uuid:")


def ids_of(resource: Element, *names: str) -> tuple[str, ...]:
    """The logical ids that the references of these names end with, once each."""
    return tuple(dict.fromkeys(filter(None, map(id_of, _all(resource, names)))))[:_MOST]


def own_ids_of(resource: Element, name: str, context: Context, *, types: Collection[str]) -> tuple[str, ...]:
    """The logical ids of the resources of these types, on the root of this one, that the references of this name mean,
    once each. An id at another root is another's, though it reads the same."""
    found = (_own_id(reference, context, types) for reference in elements.children(resource, name))
    return tuple(dict.fromkeys(filter(None, found)))[:_MOST]


def _own_id(reference: Element, context: Context, types: Collection[str]) -> str:
    address = elements.text(reference, "reference").partition("/_history/")[0].rpartition("/")[0]
    root, slash, kind = address.rpartition("/")
    if not address or (kind in types and (not slash or context.is_own(root))):
        return id_of(reference)
    return ""


def _names(reference: object, context: Context, within: Element) -> Iterator[str]:
    yield beside(reference)
    found = context.find(reference, within=within)
    if found:
        yield own_name(found, context, within=within if _is_contained(reference) else found)


def _is_contained(reference: object) -> bool:
    return elements.text(reference, "reference").startswith("#")


def _own_names(resource: Element, context: Context, within: Element) -> Iterator[str]:
    yield _named(resource)
    links = [link for link in _LINKS if link in resource]
    for link in links:
        yield beside(elements.child(resource, link))
    for link in links:
        found = context.find(resource.get(link), within=resource)
        yield _named(found)
        if link in _PRODUCTS:
            yield from _coded(found)
    yield from _coded(resource)
    yield " / ".join(
        filter(None, (name_of_part(part, context, within=(resource, within)) for part in parts_of(resource)))
    )
    if resource.get("resourceType") == "Medication":
        yield told_alone(resource)
    if resource.get("resourceType") == "Device":
        yield from _of_device(resource)


def _of_device(device: Element) -> Iterator[str]:
    """What a Device is called that says no type: by a name of R4, its model, or who made it."""
    yield from (elements.text(name, "name") for name in elements.children(device, "deviceName"))
    yield from (elements.text(device, name) for name in ("model", "modelNumber", "manufacturer"))


def _coded(resource: Element) -> Iterator[str]:
    return (title_of(resource.get(element)) for element in _NAMING if isinstance(resource.get(element), dict))


def _all(resource: Element, names: Iterable[str]) -> Iterator[Element]:
    return (found for name in names for found in elements.children(resource, name))


def _values(resource: Element, name: str) -> list[object]:
    value = resource.get(name)
    return value[: elements.MOST_REPEATED] if isinstance(value, list) else [value] if value else []


def _named(resource: Element) -> str:
    """By a name of now, where there is one."""
    names = _values(resource, "name")
    if len(names) > 1:
        names = sorted(names, key=lambda name: elements.text(name, "use") in PAST)
    return next(filter(None, map(_person_name, names)), "")


def _person_name(name: object) -> str:
    """A HumanName of either version, or the plain name of a place or an organization."""
    if not isinstance(name, dict):
        return elements.shown(name)
    parts = [part for element in ("prefix", "given", "family", "suffix") for part in elements.texts(name, element)]
    return elements.text(name, "text") or " ".join(parts)
