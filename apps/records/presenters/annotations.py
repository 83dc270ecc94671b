"""The provider's notes on an entry, and who wrote each, and when (FHIR Annotation, the same in both versions)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from apps.records.presenters import elements, naming
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.modifiers import modifiers

_MOST: Final = 30  # notes of one resource; more can only be an error
_NOTES: Final = ("note", "notes", "comment", "comments")


@dataclass(frozen=True)
class Signature:
    """Who wrote a note, as sent, and when; either may be missing."""

    author: str = ""
    when: When = UNDATED

    def __bool__(self) -> bool:
        return bool(self.author or self.when)


def notes(resource: Element, *names: str) -> tuple[str, ...]:
    """The provider's free text: Annotations, or the plain text that DSTU2 has in their place. The modifier extensions
    of the resource come first, as sent, so that no reader misses them."""
    said = [text for name in names for text in _written(resource.get(name))]
    return tuple(dict.fromkeys((*modifiers(resource), *said)))[:_MOST]


def _written(notes: object) -> Iterator[str]:
    each = notes if isinstance(notes, list) else [notes]
    said = (elements.prose(note.get("text") if isinstance(note, dict) else note) for note in each)
    return filter(None, said)


def signatures(
    element: Element, context: Context, *, within: Element, names: Iterable[str] = _NOTES
) -> dict[str, tuple[Signature, ...]]:
    """The signatures of the notes with these names, by the text of each note: if several people wrote the same text,
    it appears once, with all their signatures. `within` is the resource to which the element belongs."""
    found: dict[str, list[Signature]] = {}
    for note in (note for name in names for note in elements.children(element, name)):
        text, signature = elements.prose(note.get("text")), _signature(note, within, context)
        if text and signature:
            found.setdefault(text, []).append(signature)
    return {text: tuple(dict.fromkeys(signed)) for text, signed in found.items()}


def _signature(note: Element, resource: Element, context: Context) -> Signature:
    named = naming.name_of(note.get("authorReference"), context, within=resource)
    when = moments.read(note, "time", means="written-down")
    return Signature(named or elements.text(note, "authorString"), when)
