"""The provider's notes on the page of an entry, each with its author and time if those were sent."""

from collections.abc import Iterator
from dataclasses import dataclass

from apps.records.presenters import annotations
from apps.records.presenters.annotations import Signature
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Entry
from apps.records.viewing.facts import labels, lines
from apps.records.viewing.wording import dates_in_words


@dataclass(frozen=True)
class Note:
    """The text of a note, and a line for each of its authors."""

    text: str
    written: tuple[str, ...] = ()


def of(entry: Entry, resource: Element, context: Context) -> tuple[Note, ...]:
    """All notes of the entry, in its order: first any that may reverse its meaning, which nobody signs."""
    signed = annotations.signatures(resource, context, within=resource) if entry.said else {}
    return tuple(Note(said, tuple(map(_line, signed.get(said, ())))) for said in entry.said)


def _line(signature: Signature) -> str:
    """Who, then when; the label fits whichever comes first."""
    return f"{_label(signature)}: {lines.PART.join(_who_and_when(signature))}"


def _label(signature: Signature) -> str:
    return labels.of_field("Note", "recorder" if signature.author else "written_down")


def _who_and_when(signature: Signature) -> Iterator[str]:
    if signature.author:
        yield signature.author
    if signature.when:
        yield dates_in_words.in_full(signature.when)
