"""How parts of a resource are told that has no presenter of its own (`particulars`): in the provider's words."""

from apps.records.presenters import elements, naming
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.generic.particular_words import WORDS
from apps.records.presenters.heads import status_codes


def names(resource: Element, name: str, context: Context) -> tuple[str, ...]:
    """What the references of that name mean, by name."""
    return naming.names_of(elements.children(resource, name), context, within=resource)


def names_in(part: Element, name: str, resource: Element, context: Context) -> tuple[str, ...]:
    """The same of a part of the resource."""
    return naming.names_of(elements.children(part, name), context, within=resource)


def number(resource: Element, name: str) -> str:
    """A positive integer or a text (R4)."""
    found = elements.number(resource, f"{name}PositiveInt")
    return elements.text(resource, f"{name}String") if found is None else quantities.digits(found)


def concepts(element: Element, name: str) -> tuple[str, ...]:
    """What the concepts of that name say."""
    return tuple(filter(None, map(coded, elements.children(element, name))))


def coded(concept: object) -> str:
    """What it says; of one that was sent as a code alone, the code: what nobody can read may be what is not to be."""
    return title_of(concept) or elements.words(concept)


def first(element: Element, name: str) -> str:
    """The same of the first that says something."""
    return next(iter(concepts(element, name)), "")


def amount(element: Element, name: str) -> str:
    """A quantity as sent."""
    return quantities.read(elements.child(element, name)).shown


def known(resource: Element, name: str) -> tuple[str, ...]:
    """A code that has words of ours, else the provider's words."""
    key = next((code for code in status_codes(resource, name) if code in WORDS), "")
    return (key,) if key else naming.titles(resource, name)


def with_more(said: str, more: str) -> str:
    """What is said, with more of it in brackets."""
    return f"{said} ({more})" if said and more else said or more
