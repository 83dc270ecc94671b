"""Things to do (Task, RequestGroup), and a study in which somebody takes part (ResearchSubject)."""

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
    """Task (R4): its status, what it is about, its inputs and its outputs."""
    yield What.HOW_IT_STANDS, naming.titles(resource, "businessStatus")
    yield What.CONCERNS, provider_words.names(resource, "focus", context)
    yield What.WHERE, provider_words.names(resource, "location", context)
    yield What.RECIPIENTS, naming.titles(resource, "performerType")
    yield What.DETAIL, (_told(each, resource, context) for each in elements.children(resource, "input"))
    yield What.CAME_OF_IT, (_told(each, resource, context) for each in elements.children(resource, "output"))


def _told(sent: Element, resource: Element, context: Context) -> str:
    """The type and the value of an input or output; empty if there is no value that we can show."""
    texts = (elements.prose(sent.get(name)) for name in _TEXTS)
    coded = (title_of(sent.get(name)) for name in ("valueCodeableConcept", "valueCoding"))
    named = naming.name_of(sent.get("valueReference"), context, within=resource)
    said = next(filter(None, (*texts, *coded, named, provider_words.amount(sent, "valueQuantity"))), "")
    return ": ".join(filter(None, (title_of(sent.get("type")), said))) if said else ""


def group(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """RequestGroup (R4): the things to do, those within others after them."""
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
    """ResearchSubject (R4): the group of the study in which they are, and the one to which they were assigned."""
    actual, assigned = elements.text(resource, "actualArm"), elements.text(resource, "assignedArm")
    yield What.GROUP, (actual or assigned,)
    yield What.ASSIGNED, (assigned if actual != assigned and actual else "",)
