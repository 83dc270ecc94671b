"""The names of the people and things to which a Reference points, as sent (patient experience 3.0, People).

The display comes first, because the provider wrote it there; without one, the name comes from the target. We invent no
titles, and an id is not a name.
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

# A relative or absolute literal reference to a Patient, perhaps to one version (FHIR, references), however untidy. Only
# the end of the address counts: a server's own path may contain /patient/, too.
_PATIENT = re.compile(r"(?:^|/)Patient/(?P<id>[^/?#\s]+)(?:/|/_history/[^?#]*)?(?:[?#].*)?$", re.IGNORECASE)
PAST = frozenset({"old", "maiden"})  # uses of names that people no longer have
_MOST = 20  # people of one entry; more can only be an error
_NAMING = ("code", "vaccineCode", "medicationCodeableConcept", "substance", "type", "class")
_LINKS = ("practitioner", "medicationReference", "medication", "organization")
_PRODUCTS = frozenset({"medicationReference", "medication"})
_LONGEST_NAME = 100  # characters of a narrative that consists of a name


class Person(msgspec.Struct, frozen=True, gc=False):
    """Somebody who took part, with the role as sent, if any."""

    name: str = ""
    role: str = ""


def name_of(reference: object, context: Context, *, within: Element) -> str:
    """The display of a Reference, else the name of its target; empty if there is neither. A display that is a code
    counts only if the target has no name."""
    return first_name(_names(reference, context, within))


def beside(reference: object) -> str:
    """The display of a Reference; empty if it only repeats the address (#m1, Medication/m1)."""
    said = elements.text(reference, "display")
    if not said or said.startswith(("#", "urn:")) or said == elements.text(reference, "reference"):
        return ""
    return "" if said == id_of(reference) and any(map(str.isdigit, said)) else said


def own_name(resource: Element, context: Context, *, within: Element | None = None) -> str:
    """The name of a resource: of a person or place, else of its code, else of its ingredients. `within` is the resource
    that contains it, if any."""
    return first_name(_own_names(resource, context, resource if within is None else within)) if resource else ""


def parts_of(product: Element) -> Iterator[Element]:
    """The ingredients of a Medication, or of its `product` in DSTU2."""
    return chain(
        elements.children(product, "ingredient"), elements.children(elements.child(product, "product"), "ingredient")
    )


def name_of_part(part: Element, context: Context, *, within: Iterable[Element]) -> str:
    """The name of an ingredient: `itemCodeableConcept` or `itemReference` in R4, a reference in DSTU2. A reference may
    point to a resource contained in one of `within`. The ingredients of an ingredient are not used for its name."""
    reference = part.get("itemReference") or part.get("item")
    found = next(filter(None, (context.find(reference, within=whole) for whole in within)), {})
    coded = title_of(part.get("itemCodeableConcept"))
    return first_name((coded, beside(reference), _named(found), *_coded(found)))


def told_alone(resource: Element) -> str:
    """A narrative, if it consists of a name: one short line without labels; else empty."""
    said = narrative(resource)
    is_plain = len(said) <= _LONGEST_NAME and said == opening(said) and ":" not in said
    return said if is_plain else ""


def names_of(references: Iterable[Element], context: Context, *, within: Element) -> tuple[str, ...]:
    """The names of all these references, without repetition."""
    named = (name_of(reference, context, within=within) for reference in references)
    return tuple(dict.fromkeys(filter(None, named)))[:_MOST]


def people_of(people: Iterable[Person]) -> tuple[Person, ...]:
    """Those with a name or a role, without repetition."""
    return tuple(dict.fromkeys(person for person in people if person.name or person.role))[:_MOST]


def reasons(resource: Element, context: Context, coded: Iterable[str], referred: Iterable[str]) -> tuple[str, ...]:
    """The reasons, from concepts (elements named in `coded`) and references (in `referred`), without repetition."""
    said = [*titles(resource, *coded)]
    said += names_of(_all(resource, referred), context, within=resource)
    return tuple(dict.fromkeys(said))[:_MOST]


def titles(resource: Element, *names: str) -> tuple[str, ...]:
    """The titles of the concepts or texts in these elements, without repetition."""
    values = (value for name in names for value in _values(resource, name))
    return tuple(dict.fromkeys(filter(None, map(title_of, values))))[:_MOST]


def besides_codes(concept: Element) -> str:
    """The text of a concept, unless it only repeats the display or the code of one of its codings."""
    said = elements.text(concept, "text")
    coded = {word.casefold() for coding in codes_of(concept) for word in (coding.code, coding.display)}
    return "" if said.casefold() in coded else said


def codings(resource: Element, *names: str) -> tuple[Code, ...]:
    """The codings of the concepts in these elements, without repetition."""
    return tuple(dict.fromkeys(code for concept in _all(resource, names) for code in codes_of(concept)))[:_MOST]


def is_patient(reference: object) -> bool:
    """Whether a Reference points to a Patient."""
    written = elements.text(reference, "reference")
    if "Patient" in written and "Patient" in written.partition("/_history/")[0].split("/")[-2:-1]:
        return True
    return elements.text(reference, "type") == "Patient"


def patient_in(reference: str) -> str:
    """The logical id of the Patient to whom the text of a reference points; empty if it points to none, or to a
    contained one."""
    named = _PATIENT.search(reference.strip())
    return named["id"] if named else ""


def id_of(reference: object) -> str:
    """The logical id at the end of a Reference; empty for a contained resource."""
    written = elements.text(reference, "reference").partition("/_history/")[0]
    return "" if written.startswith("#") else written.rpartition("/")[2].removeprefix("urn:uuid:")


def own_ids_of(resource: Element, name: str, context: Context, *, types: Collection[str]) -> tuple[str, ...]:
    """The logical ids in the references of this element to resources of these types at our own root, without
    repetition. The same id at another root belongs to another resource."""
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
    """The names of a Device without a type: its names in R4, its model, its manufacturer."""
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
    """The name of a person, place or organization, if possible a current one."""
    names = _values(resource, "name")
    if len(names) > 1:
        names = sorted(names, key=lambda name: elements.text(name, "use") in PAST)
    return next(filter(None, map(_person_name, names)), "")


def _person_name(name: object) -> str:
    """A HumanName of either FHIR version, or the plain name of a place or an organization."""
    if not isinstance(name, dict):
        return elements.shown(name)
    parts = [part for element in ("prefix", "given", "family", "suffix") for part in elements.texts(name, element)]
    return elements.text(name, "text") or " ".join(parts)
