"""A QuestionnaireResponse of either version: questions and answers, in their order.

DSTU2 nests `group` and `question`; R4 nests `item` in both. Here they are lines with a depth.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from apps.records.presenters import elements, moments, values
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, notes, status_codes, title_of
from apps.records.presenters.naming import names_of
from apps.records.presenters.values import Value

_MOST = 300
_DEEPEST = 12
_PARTS = ("group", "question", "item")


class Status(StrEnum):
    """How far it was filled in."""

    UNDER_WAY = "under-way"
    DONE = "done"
    CHANGED = "changed"
    STOPPED = "stopped"


_STATUSES = {
    "in-progress": Status.UNDER_WAY,
    "completed": Status.DONE,
    "amended": Status.CHANGED,
    "stopped": Status.STOPPED,
}


@dataclass(frozen=True)
class Line:
    """A heading, or a question with its answers, so many levels deep."""

    text: str = ""
    answers: tuple[Value, ...] = ()
    depth: int = 0


@dataclass(frozen=True, kw_only=True)
class QuestionnaireEntry(Entry):
    """What was asked and answered; `is_cut` where there was more than anybody reads."""

    lines: tuple[Line, ...] = ()
    is_cut: bool = False


def present(resource: Element, context: Context) -> QuestionnaireEntry:
    """Read a QuestionnaireResponse."""
    heading = head(resource)
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return QuestionnaireEntry(**heading)
    lines = [line for line, _ in zip(_lines(resource, 0), range(_MOST + 1), strict=False)]
    status = next((_STATUSES[code] for code in status_codes(resource, "status") if code in _STATUSES), NOT_GIVEN)
    heading["title"] = _title(resource, context) or next((line.text for line in lines if line.text), "")
    people = [elements.child(resource, name) for name in ("author", "source")]
    return QuestionnaireEntry(
        **heading,
        when=moments.read(resource, "authored", means="written-down"),
        status=status,
        group=status,
        people=names_of(people, context, within=resource),
        said=notes(resource),
        lines=tuple(lines[:_MOST]),
        is_cut=len(lines) > _MOST,
    )


def _title(resource: Element, context: Context) -> str:
    """A Reference in DSTU2; an address in R4, beside which US Core has the title in an extension."""
    asked = resource.get("questionnaire")
    found = context.find(asked, within=resource)
    extensions = elements.children(elements.child(resource, "_questionnaire"), "extension")
    said = (elements.text(extension, "valueString") for extension in extensions)
    own = (elements.text(found, "title"), elements.text(elements.child(found, "group"), "title"))
    grouped = elements.text(elements.child(resource, "group"), "title")
    return next(filter(None, (elements.text(asked, "display"), *said, *own, title_of(found.get("name")), grouped)), "")


def _lines(element: Element, depth: int) -> Iterator[Line]:
    if depth > _DEEPEST:
        return
    for name in _PARTS:
        for part in elements.children(element, name):
            answers = tuple(elements.children(part, "answer"))
            line = Line(_text(part), tuple(filter(None, map(values.read, map(_shaped, answers))))[:20], depth)
            if line.text or line.answers:
                yield line
            for inner in (part, *answers):
                yield from _lines(inner, depth + 1)


def _text(part: Element) -> str:
    return elements.text(part, "text") or elements.text(part, "title")


def _shaped(answer: Element) -> Element:
    """A Coding, a number, a day or a Reference answers as the like kind of value of an Observation does."""
    shaped = dict(answer)
    if isinstance(coding := answer.get("valueCoding"), dict):
        shaped["valueCodeableConcept"] = {"coding": [coding]}
    for name in ("valueDate", "valueInstant"):
        if name in answer:
            shaped["valueDateTime"] = answer[name]
    if (number := elements.number(answer, "valueDecimal")) is not None:
        shaped["valueString"] = str(number)
    said = elements.text(answer, "valueUri") or elements.text(elements.child(answer, "valueReference"), "display")
    return {**shaped, "valueString": said} if said else shaped
