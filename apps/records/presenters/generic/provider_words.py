"""The provider's words for parts of a resource that has no presenter of its own (`particulars`)."""

from apps.records.presenters import elements, naming
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.generic.particular_words import WORDS
from apps.records.presenters.heads import status_codes


def names(resource: Element, name: str, context: Context) -> tuple[str, ...]:
    """The names of the targets of these references."""
    return naming.names_of(elements.children(resource, name), context, within=resource)


def names_in(part: Element, name: str, resource: Element, context: Context) -> tuple[str, ...]:
    """The same for the references in a part of the resource."""
    return naming.names_of(elements.children(part, name), context, within=resource)


def number(resource: Element, name: str) -> str:
    """A positive integer, or a text in its place (R4)."""
    found = elements.number(resource, f"{name}PositiveInt")
    return elements.text(resource, f"{name}String") if found is None else quantities.digits(found)


def concepts(element: Element, name: str) -> tuple[str, ...]:
    """The words of the concepts with this name."""
    return tuple(filter(None, map(coded, elements.children(element, name))))


def coded(concept: object) -> str:
    """The title of a concept, or else its code: even an unreadable code may mean that something must not be done."""
    return title_of(concept) or elements.words(concept)


def first(element: Element, name: str) -> str:
    """The words of the first concept with this name that has any."""
    return next(iter(concepts(element, name)), "")


def amount(element: Element, name: str) -> str:
    """A quantity as sent."""
    return quantities.read(elements.child(element, name)).shown


def known(resource: Element, name: str) -> tuple[str, ...]:
    """A code for which we have words, else the provider's words."""
    key = next((code for code in status_codes(resource, name) if code in WORDS), "")
    return (key,) if key else naming.titles(resource, name)


def with_more(said: str, more: str) -> str:
    """A text, followed by more in parentheses."""
    return f"{said} ({more})" if said and more else said or more
