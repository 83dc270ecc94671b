"""The files of a resource, without their content, in an order that never changes.

A file is any Attachment, in both FHIR versions: DocumentReference.content, DiagnosticReport.presentedForm,
Media.content, photos, and values and answers that are files. A report's own forms come first, whatever was sent before
them, and files in contained resources last.
"""

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
_FIRST, _LAST = _APART = ("presentedForm", "contained")


class File(msgspec.Struct, frozen=True, gc=False):
    """The description of one file. `number` finds the file in its resource again."""

    number: int = 0
    described: Attachment = NO_ATTACHMENT


def files(resource: Element) -> tuple[File, ...]:
    """The descriptions of all files."""
    return tuple(File(number, values.attachment(each)) for number, each in enumerate(sent_by(resource)))


def sent_by(resource: Element) -> tuple[Element, ...]:
    """The Attachments as sent, with their content. The number of a file is its position here."""
    found: list[Element] = []
    own = {name: value for name, value in resource.items() if name not in _APART}
    for part in ({_FIRST: resource.get(_FIRST)}, own, {_LAST: resource.get(_LAST)}):
        _gather(part, "", 0, found)
    return tuple(found[:_MOST])


def _gather(value: Element | list[Any], name: str, depth: int, found: list[Element]) -> None:
    """Append every Attachment in this value to `found`, in the order sent."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):  # most parts are neither, and each call takes time
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
