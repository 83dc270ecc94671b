"""A QuestionnaireResponse of either FHIR version: questions and answers, in the order sent.

DSTU2 nests `group` and `question`; R4 nests `item` for both. Here they become lines with a depth.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice, zip_longest

import msgspec

from apps.records.presenters import elements, outline
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import first_name, title_of
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, status_codes
from apps.records.presenters.naming import name_of, names_of
from apps.records.presenters.observations import values
from apps.records.presenters.observations.values import Kind, Value

_MOST = 300
_MOST_ANSWERS = 20  # answers to one question
_DEEPEST = 12
_PARTS = ("group", "question", "item")


class Status(StrEnum):
    """How completely a questionnaire was filled in."""

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


class Line(msgspec.Struct, frozen=True, gc=False):
    """A heading, or a question with its answers, `depth` levels deep."""

    text: str = ""
    answers: tuple[Value, ...] = ()
    depth: int = 0


class QuestionnaireEntry(Entry, frozen=True, kw_only=True, gc=False):
    """The questions and answers. `is_cut`: there were more than anybody would read. `has_own_title`: there was a title,
    or one heading over everything; otherwise `title` is only the first text."""

    lines: tuple[Line, ...] = ()
    is_cut: bool = False
    has_own_title: bool = True

    @property
    def questions(self) -> int:
        """How many questions were asked."""
        pairs = zip_longest(self.lines, self.lines[1:])
        return sum(1 for line, below in pairs if line.answers or below is None or below.depth <= line.depth)


def present(resource: Element, context: Context) -> QuestionnaireEntry:
    """Read a QuestionnaireResponse."""
    heading = head(resource)
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return QuestionnaireEntry(**heading)
    sent = _Sent(resource, context)
    lines = list(islice(sent.lines(), _MOST + 1))
    status = next((_STATUSES[code] for code in status_codes(resource, "status") if code in _STATUSES), NOT_GIVEN)
    own_title = _title(resource, context) or _heading_over(lines)
    heading["title"] = own_title or next((line.text for line in lines if line.text), "")
    people = [elements.child(resource, name) for name in ("author", "source")]
    return QuestionnaireEntry(
        **heading,
        when=moments.read(resource, "authored", means="written-down"),
        status=status,
        group=status,
        people=names_of(people, context, within=resource),
        said=notes(resource),
        lines=_kept(lines),
        is_cut=len(lines) > _MOST or sent.is_cut,
        has_own_title=bool(own_title) or not heading["title"],
    )


def _heading_over(lines: list[Line]) -> str:
    """The first line, if it is a heading over all others; else empty."""
    first, *others = lines or [Line()]
    return first.text if others and not first.answers and all(line.depth > first.depth for line in others) else ""


def _kept(lines: list[Line]) -> tuple[Line, ...]:
    """The first lines, up to the maximum. A heading whose questions are cut off is left out: it would read like a
    question that nobody answered."""
    end = min(len(lines), _MOST)
    while end < len(lines) and not lines[end - 1].answers and lines[end].depth > lines[end - 1].depth:
        end -= 1
    return tuple(lines[:end])


def _title(resource: Element, context: Context) -> str:
    """The title of the questionnaire. DSTU2 has a Reference to it; R4 has its address, beside which US Core has the
    title in an extension."""
    asked = resource.get("questionnaire")
    found = context.find(asked, within=resource)
    extensions = elements.children(elements.child(resource, "_questionnaire"), "extension")
    said = (elements.text(extension, "valueString") for extension in extensions)
    own = (elements.text(found, "title"), elements.text(elements.child(found, "group"), "title"))
    grouped = elements.text(elements.child(resource, "group"), "title")
    return first_name((elements.text(asked, "display"), *said, *own, title_of(found.get("name")), grouped))


@dataclass
class _Sent:
    """A questionnaire while its lines are read. `is_cut`: some of it was skipped, being too deep or too long."""

    resource: Element
    context: Context
    is_cut: bool = False

    def lines(self) -> Iterator[Line]:
        """The lines, in the order sent."""
        return self._within(self.resource, 0)

    def _within(self, element: Element, depth: int) -> Iterator[Line]:
        for part in (part for name in _PARTS for part in elements.children(element, name)):
            if depth > _DEEPEST:
                self.is_cut = True
                return
            answers = tuple(elements.children(part, "answer"))
            told = tuple(filter(None, map(self._answer, answers)))
            self.is_cut |= len(told) > _MOST_ANSWERS
            line = Line(_text(part), told[:_MOST_ANSWERS], depth)
            below = chain.from_iterable(self._within(inner, depth + 1) for inner in (part, *answers))
            was_cut, self.is_cut = self.is_cut, False
            first = tuple(islice(below, 1))
            is_bare_heading = self.is_cut and not (first or line.answers)  # as in `_kept`
            self.is_cut |= was_cut
            if (line.text or line.answers) and not is_bare_heading:
                yield line
            yield from chain(first, below)

    def _answer(self, answer: Element) -> Value:
        """The value of an answer. If we cannot read it, it is kept as sent: it must not look like "no answer"."""
        if value := values.read(_shaped(answer)):
            return value
        sent = (name for name in answer if name.startswith("value"))
        named = name_of(answer.get("valueReference"), self.context, within=self.resource)
        said = named or ", ".join(outline.as_sent(answer, *sent))
        return Value(Kind.TEXT, text=said) if said else value


def _text(part: Element) -> str:
    return elements.text(part, "text") or elements.text(part, "title")


def _shaped(answer: Element) -> Element:
    """The answer in the form of an Observation's value, which `values` can read: a Coding becomes a CodeableConcept, a
    date a dateTime, and a number, an address or a Reference becomes a text."""
    shaped = dict(answer)
    if isinstance(coding := answer.get("valueCoding"), dict):
        shaped["valueCodeableConcept"] = {"coding": [coding]}
    for name in ("valueDate", "valueInstant"):
        if name in answer:
            shaped["valueDateTime"] = answer[name]
    if (number := elements.number(answer, "valueDecimal")) is not None:
        shaped["valueString"] = quantities.digits(number)
    said = elements.text(answer, "valueUri") or elements.text(elements.child(answer, "valueReference"), "display")
    return {**shaped, "valueString": said} if said else shaped
