"""A filled-in questionnaire as its page shows it: questions with their answers, under the headings that were sent. If
many questions have no heading between them, every twenty get one, so that readers can find their place."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Final

from django.utils.translation import gettext

from apps.records.presenters.entry import Entry
from apps.records.presenters.questionnaires import Line, QuestionnaireEntry
from apps.records.viewing.facts import lines

_TOGETHER: Final = 20  # questions under one heading; a few more do not get another
_FEW: Final = 5


@dataclass(frozen=True)
class Question:
    """A question, and its answers in words. A field is empty if it was not sent. `follows`: it depends on the answer
    before."""

    text: str
    answers: tuple[str, ...]
    follows: bool


@dataclass(frozen=True)
class Group:
    """Questions in their order. A nested heading includes those above it; there may be none, or it is the title."""

    heading: str
    asked: tuple[Question, ...]


def of(entry: Entry) -> tuple[Group, ...]:
    """The questions of a filled-in questionnaire; none for any other entry."""
    if not isinstance(entry, QuestionnaireEntry):
        return ()
    titled = entry.title if entry.has_own_title else ""
    placed = groupby(_placed(entry.lines), key=lambda one: " · ".join(one[0]))
    return tuple(
        part
        for heading, found in placed
        for part in _parts(_group("" if heading == titled else heading, [line for _headings, line in found]))
    )


def _placed(sent: tuple[Line, ...]) -> Iterator[tuple[tuple[str, ...], Line]]:
    """Each question with its headings. A heading is a line without answers that has lines below it."""
    above: list[Line] = []
    for line, following in zip_longest(sent, sent[1:]):
        while above and above[-1].depth >= line.depth:
            above.pop()
        if not line.answers and following is not None and following.depth > line.depth:
            above.append(line)
        else:
            yield tuple(each.text for each in above), line


def _group(heading: str, asked: list[Line]) -> Group:
    outermost = min(line.depth for line in asked)
    return Group(heading, tuple(Question(line.text, lines.of(line.answers), line.depth > outermost) for line in asked))


def _parts(group: Group) -> Iterator[Group]:
    """A long group in parts, each with a heading. A question that follows from an answer stays with it."""
    first, count = 0, len(group.asked)
    while first < count:
        end = min(first + _TOGETHER, count) if count - first > _TOGETHER + _FEW else count
        while end < count and group.asked[end].follows:
            end += 1
        if (first, end) == (0, count):
            yield group
            return
        numbered = gettext("Questions %(first)s to %(last)s") % {"first": first + 1, "last": end}
        heading = " · ".join(filter(None, (group.heading, numbered)))
        yield Group(heading, group.asked[first:end])
        first = end
