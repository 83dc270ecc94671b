"""The files of a resource: where they stand in it, in an order that never changes, without their content.

DocumentReference.content, DiagnosticReport.presentedForm, Media.content, photos, values and answers that are files, in
both versions: whatever is an Attachment. What is contained comes last, so that a list of forms keeps its own numbers.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.observations import values
from apps.records.presenters.observations.values import NO_ATTACHMENT, Attachment

_MOST = 100
_DEEPEST = 20
_NAMES = frozenset(
    (
        "attachment", "presentedForm", "photo", "valueAttachment", "contentAttachment", "sourceAttachment",
        "attachmentAttachment", "answerAttachment",
    )
)  # fmt: skip


class File(msgspec.Struct, frozen=True, gc=False):
    """One file as it is described. `number` finds it again in its resource."""

    number: int = 0
    described: Attachment = NO_ATTACHMENT
    language: str = ""
    format: str = ""


def files(resource: Element) -> tuple[File, ...]:
    """All of them, described."""
    return described(sent_by(resource))


def described(sent: Iterable[Element]) -> tuple[File, ...]:
    """What `sent_by` gave, described."""
    return tuple(
        File(number, values.attachment(each), elements.text(each, "language")) for number, each in enumerate(sent)
    )


def sent_by(resource: Element) -> tuple[Element, ...]:
    """The Attachments as sent, content included. The number of a file is its place here."""
    found: list[Element] = []
    _gather({name: value for name, value in resource.items() if name != "contained"}, "", 0, found)
    _gather({"contained": resource.get("contained")}, "", 0, found)
    return tuple(found[:_MOST])


def _gather(value: Element | list[Any], name: str, depth: int, found: list[Element]) -> None:
    """Put down what is an Attachment in there, in the order sent."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):  # most parts are neither, and each call costs
                _gather(item, name, depth + 1, found)
    elif depth and _is_attachment(value, name):
        found.append(value)
    else:
        for inner, part in value.items():
            if isinstance(part, dict | list):
                _gather(part, str(inner), depth + 1, found)


def _is_attachment(value: Element, name: str) -> bool:
    is_named = name in _NAMES or ("contentType" in value and bool(elements.text(value, "contentType")))
    return is_named and bool(values.attachment(value))
