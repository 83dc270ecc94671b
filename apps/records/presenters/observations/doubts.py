"""Reasons to doubt a result: another result interferes with it, as hemolysis does with potassium, or qualifies it
(DSTU2 Observation.related; R4 has no such element); or its sample was flawed, as far as we have the specimen.

R4 states the condition of a sample by HL7 codes (v2 table 0493). Only these codes count: other words may also describe
a good sample. DSTU2 has no such element.
"""

from collections.abc import Iterator
from enum import StrEnum
from itertools import chain, islice
from typing import Final

from apps.records.presenters import elements, heads, naming, specimens
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Doubt

_MOST: Final = 30  # reasons or conditions; more can only be an error


class Kind(StrEnum):
    """Why a result is in doubt."""

    INTERFERED_BY = "interfered-by"
    QUALIFIED_BY = "qualified-by"
    SAMPLE_NOT_USABLE = "sample-not-usable"
    SAMPLE_CLOTTED = "sample-clotted"
    SAMPLE_CONTAMINATED = "sample-contaminated"
    SAMPLE_DAMAGED = "sample-damaged"
    SAMPLE_HEMOLYZED = "sample-hemolyzed"
    SAMPLE_NOT_RECEIVED = "sample-not-received"


_QUALIFYING: Final = frozenset({Kind.INTERFERED_BY, Kind.QUALIFIED_BY})
_SPOILED: Final = {
    specimens.State.CLOTTED: Kind.SAMPLE_CLOTTED,
    specimens.State.CONTAMINATED: Kind.SAMPLE_CONTAMINATED,
    specimens.State.DAMAGED: Kind.SAMPLE_DAMAGED,
    specimens.State.HEMOLYZED: Kind.SAMPLE_HEMOLYZED,
    specimens.State.NOT_RECEIVED: Kind.SAMPLE_NOT_RECEIVED,
}


def read(resource: Element, context: Context) -> tuple[Doubt, ...]:
    """All reasons to doubt a result, without repetition. `Doubt.of` is the name of the other result, or of the sample
    if there are several."""
    if not ("related" in resource or "specimen" in resource):
        return ()
    found = chain(_interfering(resource, context), _spoiled(resource, context))
    return tuple(dict.fromkeys(islice(found, _MOST)))


def states(resource: Element, context: Context) -> tuple[str, ...]:
    """The condition of the samples, as keys of `specimens.STATE_WORDS` or in the provider's words, without those that
    are reasons to doubt the result."""
    if "specimen" not in resource:
        return ()
    found = (context.find(each, within=resource) for each in elements.children(resource, "specimen"))
    said = (state for specimen in found for state in specimens.states(specimen) if state not in _SPOILED)
    return tuple(dict.fromkeys(islice(said, _MOST)))


def _interfering(resource: Element, context: Context) -> Iterator[Doubt]:
    """The other results that interfere with this one or qualify it; one without a name appears as an ellipsis."""
    for part in elements.children(resource, "related"):
        for kind in heads.status_codes(part, "type"):
            if kind in _QUALIFYING:
                yield Doubt(kind, naming.name_of(part.get("target"), context, within=resource) or "…")


def _spoiled(resource: Element, context: Context) -> Iterator[Doubt]:
    sent = list(elements.children(resource, "specimen"))
    for reference in sent:
        specimen = context.find(reference, within=resource)
        name = naming.name_of(reference, context, within=resource) if len(sent) > 1 else ""
        if specimens.is_unusable(specimen):
            yield Doubt(Kind.SAMPLE_NOT_USABLE, name)
        for state in specimens.states(specimen):
            if state in _SPOILED:
                yield Doubt(_SPOILED[specimens.State(state)], name)
