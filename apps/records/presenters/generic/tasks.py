"""What is to be done (Task, RequestGroup), and a study that somebody takes part in (ResearchSubject)."""

from collections.abc import Iterable, Iterator
from typing import Final

from apps.records.presenters import elements, naming
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.generic import provider_words
from apps.records.presenters.generic.particular_words import What

_DEEPEST: Final = 5  # actions within actions
_TEXTS: Final = ("valueString", "valueMarkdown")


def task(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """Task (R4): how far it is, what it is about, what it begins with, and what came of it."""
    yield What.HOW_IT_STANDS, naming.titles(resource, "businessStatus")
    yield What.CONCERNS, provider_words.names(resource, "focus", context)
    yield What.WHERE, provider_words.names(resource, "location", context)
    yield What.RECIPIENTS, naming.titles(resource, "performerType")
    yield What.DETAIL, (_told(each, resource, context) for each in elements.children(resource, "input"))
    yield What.CAME_OF_IT, (_told(each, resource, context) for each in elements.children(resource, "output"))


def _told(sent: Element, resource: Element, context: Context) -> str:
    """What it is, and what it says of that; nothing where it says nothing that we can tell."""
    texts = (elements.prose(sent.get(name)) for name in _TEXTS)
    coded = (title_of(sent.get(name)) for name in ("valueCodeableConcept", "valueCoding"))
    named = naming.name_of(sent.get("valueReference"), context, within=resource)
    said = next(filter(None, (*texts, *coded, named, provider_words.amount(sent, "valueQuantity"))), "")
    return ": ".join(filter(None, (title_of(sent.get("type")), said))) if said else ""


def group(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """RequestGroup (R4): what is to be done, and which of it within what."""
    yield What.PLANNED, _actions(resource, resource, context, 0)


def _actions(part: Element, resource: Element, context: Context, depth: int) -> Iterator[str]:
    for action in elements.children(part, "action"):
        yield _action(action, resource, context)
        if depth < _DEEPEST:
            yield from _actions(action, resource, context, depth + 1)


def _action(action: Element, resource: Element, context: Context) -> str:
    named = naming.name_of(action.get("resource"), context, within=resource)
    name = elements.text(action, "title") or provider_words.first(action, "code") or named
    more = elements.text(action, "description") or elements.text(action, "textEquivalent")
    return provider_words.with_more(name, more)


def trial(resource: Element, _context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """ResearchSubject (R4): in which group of the study they are, and were to be."""
    actual, assigned = elements.text(resource, "actualArm"), elements.text(resource, "assignedArm")
    yield What.GROUP, (actual or assigned,)
    yield What.ASSIGNED, (assigned if actual != assigned and actual else "",)
