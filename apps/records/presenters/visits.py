"""An Encounter of either FHIR version (facts 1.6, patient experience 3.7): a visit, or a stay in the hospital.

`class` is a plain code in DSTU2 and a Coding of v3-ActCode in R4. People remember visits by date, clinician and clinic,
so that we keep all participants other than the patient, and all places. Only references say what belongs to a visit.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from msgspec.structs import replace

from apps.records.presenters import elements, naming
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import codes_of, first_name, is_in_place_of_a_name, title_of
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, mapped, status_codes
from apps.records.presenters.naming import Person

_ONLY_MEANT = frozenset({"planned", "reserved"})  # statuses of a place where the patient was not (yet)
_MOST = 30  # places or diagnoses of one visit; more can only be an error


class Kind(StrEnum):
    """The kind of visit, from the classes of both FHIR versions."""

    VISIT = "visit"
    HOSPITAL_STAY = "hospital-stay"
    EMERGENCY = "emergency"
    VIRTUAL = "virtual"
    HOME = "home"
    SHORT_STAY = "short-stay"


class Status(StrEnum):
    """How far along a visit is. Pages do not mention "finished"."""

    PLANNED = "planned"
    ARRIVED = "arrived"
    IN_PROGRESS = "in-progress"
    ON_LEAVE = "on-leave"
    FINISHED = "finished"
    CANCELED = "canceled"
    NOT_GIVEN = NOT_GIVEN


class Group(StrEnum):
    """The groups, in the order of the page. A canceled visit does not count as one."""

    PLANNED = "planned"
    NOW = "now"
    PAST = "past"
    NOT_GIVEN = NOT_GIVEN
    CANCELED = "canceled"


class Place(msgspec.Struct, frozen=True, gc=False):
    """A place, and when the patient was there."""

    name: str = ""
    when: When = UNDATED


class Use(StrEnum):
    """The role of a diagnosis in a visit (FHIR diagnosis-role; DSTU2 has only the first two)."""

    ADMISSION = "ad"
    DISCHARGE = "dd"
    CHIEF_COMPLAINT = "cc"
    COMORBIDITY = "cm"
    BEFORE_SURGERY = "pre-op"
    AFTER_SURGERY = "post-op"
    BILLING = "billing"
    NOT_GIVEN = NOT_GIVEN


class Diagnosis(msgspec.Struct, frozen=True, gc=False):
    """What was found or suspected, as the visit or the condition calls it. `said` is its role in the provider's words,
    if we do not know the code."""

    what: str = ""
    use: Use = Use.NOT_GIVEN
    said: str = ""


class Hospitalization(msgspec.Struct, frozen=True, gc=False):
    """How a stay began and ended, in the provider's words."""

    came_from: str = ""
    origin: str = ""
    discharged_to: str = ""
    destination: str = ""
    readmission: str = ""
    arrangements: tuple[str, ...] = ()
    diets: tuple[str, ...] = ()


class VisitEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A visit. `title` is its type in the provider's words, else its service; if it is empty, `kind` says enough.

    `class_said` is the class in the provider's words, if we do not know the code. `clinic` is the organization that was
    responsible. `length` is how long the visit took, if that was sent.
    """

    status: Status = Status.NOT_GIVEN
    group: Group = Group.NOT_GIVEN
    kind: Kind = Kind.VISIT
    class_said: str = ""
    types: tuple[str, ...] = ()
    service: str = ""
    participants: tuple[Person, ...] = ()
    clinic: str = ""
    places: tuple[Place, ...] = ()
    reasons: tuple[str, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    hospitalization: Hospitalization = msgspec.field(default_factory=Hospitalization)
    length: Quantity = NO_QUANTITY
    priority: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the visit began and no end was recorded; a page says so if that was long ago."""
        return self.group is Group.NOW and self.when.is_open


_KINDS = {
    "outpatient": Kind.VISIT,
    "ambulatory": Kind.VISIT,
    "amb": Kind.VISIT,
    "inpatient": Kind.HOSPITAL_STAY,
    "imp": Kind.HOSPITAL_STAY,
    "acute": Kind.HOSPITAL_STAY,
    "nonac": Kind.HOSPITAL_STAY,
    "emergency": Kind.EMERGENCY,
    "emer": Kind.EMERGENCY,
    "virtual": Kind.VIRTUAL,
    "vr": Kind.VIRTUAL,
    "home": Kind.HOME,
    "hh": Kind.HOME,
    "daytime": Kind.SHORT_STAY,
    "obsenc": Kind.SHORT_STAY,
    "ss": Kind.SHORT_STAY,
}
_STATUSES = {
    "planned": Status.PLANNED,
    "arrived": Status.ARRIVED,
    "triaged": Status.ARRIVED,
    "in-progress": Status.IN_PROGRESS,
    "onleave": Status.ON_LEAVE,
    "finished": Status.FINISHED,
    "cancelled": Status.CANCELED,
}
_USES = {use.value: use for use in Use if use is not Use.NOT_GIVEN}
_GROUPS = {
    Status.PLANNED: Group.PLANNED,
    Status.ARRIVED: Group.NOW,
    Status.IN_PROGRESS: Group.NOW,
    Status.ON_LEAVE: Group.NOW,
    Status.FINISHED: Group.PAST,
    Status.CANCELED: Group.CANCELED,
    Status.NOT_GIVEN: Group.NOT_GIVEN,
}


def present(resource: Element, context: Context) -> VisitEntry:
    """Read an Encounter of either FHIR version."""
    types = list(elements.children(resource, "type"))
    named = next(
        (each for each in types if not is_in_place_of_a_name(title_of(each))),
        types[0] if types else resource.get("serviceType"),
    )
    top = head(resource, named)
    if top["is_withdrawn"] or top["is_withheld"]:
        return VisitEntry(**top)
    service = title_of(resource.get("serviceType"))
    top["title"] = first_name((top["title"], service))
    top["codes"] = tuple(dict.fromkeys(code for each in types for code in codes_of(each))) or top["codes"]
    status = mapped(resource, "status", _STATUSES) or Status.NOT_GIVEN
    participants, kind = _participants(resource, context), _kind(resource)
    return VisitEntry(
        **top,
        when=_when(resource, status),
        status=status,
        group=_GROUPS[status],
        people=tuple(dict.fromkeys(person.name for person in participants if person.name)),
        said=notes(resource),
        kind=kind or Kind.VISIT,
        class_said="" if kind else title_of(elements.child(resource, "class")),
        types=naming.titles(resource, "type"),
        service=service,
        participants=participants,
        clinic=naming.name_of(resource.get("serviceProvider"), context, within=resource),
        places=_places(resource, context, is_planned=status is Status.PLANNED),
        reasons=naming.reasons(resource, context, ("reasonCode", "reason"), ("reasonReference", "indication")),
        diagnoses=_diagnoses(resource, context),
        hospitalization=_hospitalization(resource, context),
        length=quantities.read(elements.child(resource, "length")),
        priority=title_of(resource.get("priority")),
    )


def _when(resource: Element, status: Status) -> When:
    """When the visit was. If it is finished or canceled, a missing end does not mean that it still goes on."""
    when = moments.read(resource, "period", means="planned" if status is Status.PLANNED else "seen")
    is_over = status in {Status.FINISHED, Status.CANCELED}
    return replace(when, is_open=False) if is_over and when.is_open else when


def _kind(resource: Element) -> Kind | None:
    """The kind, from a plain code, a Coding, or a concept that was sent by mistake."""
    code = elements.text(elements.child(resource, "class"), "code")
    return mapped({"class": code} if code else resource, "class", _KINDS)


def _participants(resource: Element, context: Context) -> tuple[Person, ...]:
    sent = (
        each for each in elements.children(resource, "participant") if not naming.is_patient(each.get("individual"))
    )
    return naming.people_of(
        Person(
            name=naming.name_of(each.get("individual"), context, within=resource),
            role=next(iter(naming.titles(each, "type")), ""),
        )
        for each in sent
    )


def _places(resource: Element, context: Context, *, is_planned: bool) -> tuple[Place, ...]:
    """The places where the patient is or was. Places that were only planned count if the visit itself is still
    planned."""
    read = (
        Place(
            name=naming.name_of(each.get("location"), context, within=resource),
            when=moments.read(each, "period", means="seen"),
        )
        for each in elements.children(resource, "location")
        if is_planned or not _ONLY_MEANT & set(status_codes(each, "status"))
    )
    return tuple(dict.fromkeys(place for place in read if place.name))[:_MOST]


def _diagnoses(resource: Element, context: Context) -> tuple[Diagnosis, ...]:
    """The diagnoses: `diagnosis` in R4; in DSTU2, the admitting and discharge diagnoses of the hospitalization."""
    found = [_diagnosis(each, resource, context) for each in elements.children(resource, "diagnosis")]
    stay = elements.child(resource, "hospitalization")
    for name, use in (("admittingDiagnosis", Use.ADMISSION), ("dischargeDiagnosis", Use.DISCHARGE)):
        named = naming.names_of(elements.children(stay, name), context, within=resource)
        found += [Diagnosis(what, use) for what in named]
    return tuple(dict.fromkeys(diagnosis for diagnosis in found if diagnosis.what))[:_MOST]


def _diagnosis(sent: Element, visit: Element, context: Context) -> Diagnosis:
    use = mapped(sent, "use", _USES) or Use.NOT_GIVEN
    said = title_of(sent.get("use")) if use is Use.NOT_GIVEN else ""
    return Diagnosis(naming.name_of(sent.get("condition"), context, within=visit), use, said)


def _hospitalization(resource: Element, context: Context) -> Hospitalization:
    sent = elements.child(resource, "hospitalization")
    return Hospitalization(
        came_from=title_of(sent.get("admitSource")),
        origin=naming.name_of(sent.get("origin"), context, within=resource),
        discharged_to=title_of(sent.get("dischargeDisposition")),
        destination=naming.name_of(sent.get("destination"), context, within=resource),
        readmission=title_of(sent.get("reAdmission")),
        arrangements=naming.titles(sent, "specialArrangement"),
        diets=naming.titles(sent, "dietPreference"),
    )


KIND_WORDS: Mapping[Kind, str | Promise] = {
    Kind.VISIT: _("Visit"),
    Kind.HOSPITAL_STAY: _("Hospital stay"),
    Kind.EMERGENCY: _("Emergency visit"),
    Kind.VIRTUAL: _("Video or phone visit"),
    Kind.HOME: _("Home visit"),
    Kind.SHORT_STAY: _("Short stay"),
}
USE_WORDS: Mapping[Use, str | Promise] = {
    Use.ADMISSION: _("Admission diagnosis"),
    Use.DISCHARGE: _("Discharge diagnosis"),
    Use.CHIEF_COMPLAINT: _("Main complaint"),
    Use.COMORBIDITY: _("Other condition at the time"),
    Use.BEFORE_SURGERY: _("Diagnosis before surgery"),
    Use.AFTER_SURGERY: _("Diagnosis after surgery"),
    Use.BILLING: _("Diagnosis for billing"),
    Use.NOT_GIVEN: "",
}
STATUS_WORDS: Mapping[Status, str | Promise] = {
    Status.PLANNED: pgettext_lazy("a visit", "Planned"),
    Status.ARRIVED: _("Arrived"),
    Status.IN_PROGRESS: _("In progress"),
    Status.ON_LEAVE: _("On leave from the hospital"),
    Status.FINISHED: "",
    Status.CANCELED: pgettext_lazy("a visit", "Canceled"),
    Status.NOT_GIVEN: _("Status not given"),
}
NO_END_WORDS: str | Promise = _("No end date was recorded")
GROUP_WORDS: Mapping[Group, str | Promise] = {
    Group.PLANNED: pgettext_lazy("visits", "Planned"),
    Group.NOW: _("Now"),
    Group.PAST: _("Past visits"),
    Group.NOT_GIVEN: _("Status not given"),
    Group.CANCELED: pgettext_lazy("visits", "Canceled"),
}
