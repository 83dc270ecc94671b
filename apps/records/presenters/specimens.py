"""A Specimen of either FHIR version: what was taken for a test."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import first_name, title_of
from apps.records.presenters.datatypes import lengths, moments
from apps.records.presenters.datatypes.lengths import NO_LENGTH, Length
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, status_codes, was_withdrawn
from apps.records.presenters.naming import besides_codes, names_of

_MOST = 20  # conditions of one specimen; more can only be an error


class Status(StrEnum):
    """Whether a specimen could be used."""

    AVAILABLE = "available"
    NOT_AVAILABLE = "not-available"
    NOT_USABLE = "not-usable"


class State(StrEnum):
    """The condition in which a specimen arrived, by HL7's codes (v2 table 0493)."""

    DAMAGED = "aut"
    CENTRIFUGED = "cfu"
    CLOTTED = "clot"
    CONTAMINATED = "con"
    COOL = "cool"
    FROZEN = "froz"
    HEMOLYZED = "hem"
    LIVE = "live"
    ROOM_TEMPERATURE = "room"
    NOT_RECEIVED = "snr"


_STATUSES = {
    "available": Status.AVAILABLE,
    "unavailable": Status.NOT_AVAILABLE,
    "unsatisfactory": Status.NOT_USABLE,
}


class SpecimenEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A specimen. `when` is when it was taken, else when it was received. `state` is its condition, as keys of
    `STATE_WORDS` or in the provider's words."""

    received: When = UNDATED
    body_site: str = ""
    method: str = ""
    state: tuple[str, ...] = ()
    fasting: str = ""
    fasted_for: Length = NO_LENGTH
    number: str = ""


def present(resource: Element, context: Context) -> SpecimenEntry:
    """Read a Specimen."""
    heading = head(resource, elements.child(resource, "type"))
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return SpecimenEntry(**heading)
    collection = elements.child(resource, "collection")
    body_site = title_of(elements.child(collection, "bodySite"))
    heading["title"] = first_name((heading["title"], body_site))
    status = next((_STATUSES[code] for code in status_codes(resource, "status") if code in _STATUSES), NOT_GIVEN)
    received = moments.read(resource, "receivedTime", means="recorded")
    return SpecimenEntry(
        **heading,
        when=moments.read(collection, "collected", means="collected") or received,
        status=status,
        group=status,
        people=names_of(elements.children(collection, "collector"), context, within=resource),
        said=(*notes(resource, "note"), *notes(collection, "comment")),
        received=received,
        body_site=body_site,
        method=title_of(elements.child(collection, "method")),
        state=states(resource),
        fasting=_fasting(collection),
        fasted_for=lengths.read(elements.child(collection, "fastingStatusDuration")),
        number=elements.text(elements.child(resource, "accessionIdentifier"), "value"),
    )


def is_unusable(specimen: Element) -> bool:
    """Whether the provider says that the specimen is unusable. One that was entered in error says nothing."""
    return "unsatisfactory" in status_codes(specimen, "status") and not was_withdrawn(specimen)


def states(specimen: Element) -> tuple[str, ...]:
    """The condition in which a specimen arrived (in R4 only): keys of `STATE_WORDS`, with any further words, or else
    the provider's words. Empty if the specimen was entered in error."""
    if "condition" not in specimen or was_withdrawn(specimen):
        return ()
    said = list[str]()
    for concept in elements.children(specimen, "condition"):
        known = [code.lower() for code in elements.codes(concept) if code.lower() in STATE_WORDS]
        said += (*known, besides_codes(concept)) if known else (title_of(concept),)
    return tuple(dict.fromkeys(filter(None, said)))[:_MOST]


def _fasting(collection: Element) -> str:
    """Whether the patient was fasting (in R4 only): one of HL7's codes (v2 table 0916), else the provider's words."""
    codes = status_codes(collection, "fastingStatusCodeableConcept")
    known = next((code for code in codes if code in FASTING_WORDS), "")
    return known or title_of(collection.get("fastingStatusCodeableConcept"))


FASTING_WORDS: Mapping[str, str | Promise] = {
    "f": _("Had not eaten before"),
    "nf": _("Had eaten before"),
    "fna": _("Not known"),
    "ng": _("Not known"),
}

STATE_WORDS: Mapping[str, str | Promise] = {
    State.DAMAGED: _("Damaged (autolyzed)"),
    State.CENTRIFUGED: _("Centrifuged"),
    State.CLOTTED: _("Clotted"),
    State.CONTAMINATED: _("Contaminated"),
    State.COOL: _("Cool"),
    State.FROZEN: _("Frozen"),
    State.HEMOLYZED: _("Its blood cells had burst (hemolyzed)"),
    State.LIVE: _("Live"),
    State.ROOM_TEMPERATURE: _("At room temperature"),
    State.NOT_RECEIVED: _("Not received"),
}
