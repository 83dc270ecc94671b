"""Allergies, conditions, vaccines, procedures and plans as minimal R4 resources, from either version.

Each function takes a presented resource and returns an `Item`, or None if this summary leaves it out. Status codes of
DSTU2 are mapped as in interface facts 1.6; a code that R4 does not know counts as not given.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from apps.records.exporting.ips import narrating, r4_elements
from apps.records.exporting.ips.r4_elements import Part
from apps.records.exporting.reading import PresentedRecord
from apps.records.presenters import annotations, care_plans, codeable_concepts, elements, heads
from apps.records.presenters.conditions import Category, ConditionEntry
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Entry
from apps.records.presenters.immunizations import ImmunizationEntry

_DISEASE_CODES = ("active", "recurrence", "relapse", "inactive", "remission", "resolved")
_OVER = frozenset({"inactive", "resolved"})
_CRITICALITIES = {
    "critl": "low", "crith": "high", "critu": "unable-to-assess",
    "low": "low", "high": "high", "unable-to-assess": "unable-to-assess",
}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Item:
    """One thing in a section. `resource` lacks its id and its subject, which the document adds, the latter as
    `subject_name`.

    `title` and `detail` are its line of the narrative. `beside` is a resource to which `resource` refers by the element
    `refers_by`. For the element `results_name`, `results` are the references: `Type/id` of what may be in the document,
    and `inside` has, by their ids, the contained resources that it brings along.
    """

    resource: Part
    title: str
    detail: str
    subject_name: str = "subject"
    beside: Part = field(default_factory=dict)
    refers_by: str = ""
    results: tuple[str, ...] = ()
    results_name: str = "result"
    inside: Mapping[str, Part] = field(default_factory=dict)


def allergy(told: PresentedRecord) -> Item | None:
    """AllergyIntolerance (IPS). One that was ruled out is left out."""
    sent = told.resource
    verification = known_code(sent, "verificationStatus", ("unconfirmed", "confirmed", "refuted", "presumed"))
    clinical = known_code(sent, "clinicalStatus", ("active", "inactive", "resolved"))
    dstu2 = known_code(sent, "status", ("active", "inactive", "resolved", "unconfirmed", "confirmed", "refuted"))
    verification = verification or (dstu2 if dstu2 in {"unconfirmed", "confirmed", "refuted"} else "")
    clinical = clinical or {"unconfirmed": "active", "confirmed": "active"}.get(dstu2, dstu2)
    if verification == "refuted":
        return None
    known = "" if clinical == "refuted" else clinical
    title, concept = _named(told, "code", "substance")
    reactions = [_reaction(reaction) for reaction in elements.children(sent, "reaction")]
    criticality = _CRITICALITIES.get(known_code(sent, "criticality", _CRITICALITIES), "")
    resource = r4_elements.without_empty(
        {
            "resourceType": "AllergyIntolerance",
            "clinicalStatus": _status("allergyintolerance-clinical", known),
            "verificationStatus": verification and _status("allergyintolerance-verification", verification),
            "type": known_code(sent, "type", ("allergy", "intolerance")),
            "category": [each for each in heads.status_codes(sent, "category") if each in _ALLERGY_CATEGORIES],
            "criticality": criticality,
            "code": concept,
            **r4_elements.since("onset", moments.read(sent, "onset", means="started")),
            "recordedDate": r4_elements.date(moments.read(sent, "recordedDate", means="written-down").starts),
            "lastOccurrence": r4_elements.date(moments.read(sent, "lastOccurrence", "lastOccurence", means="").starts),
            "reaction": [reaction for reaction in reactions if reaction],
        }
    )
    return Item(resource, title, narrating.details(told), subject_name="patient")


_ALLERGY_CATEGORIES = frozenset({"food", "medication", "environment", "biologic"})


def _reaction(sent: Element) -> Part:
    """One reaction, with what is known of it. R4 requires a manifestation: if none was sent, the element says so."""
    description = elements.text(sent, "description")
    route = next(iter(r4_elements.concepts(sent, "exposureRoute")), {})
    notes = [{"text": text} for text in annotations.notes(sent, "note")]
    known = r4_elements.without_empty(
        {
            "extension": _certainty(sent),
            "substance": next(iter(r4_elements.concepts(sent, "substance")), {}),
            "description": description,
            "onset": r4_elements.date(moments.read(sent, "onset", means="noticed").starts),
            "severity": known_code(sent, "severity", ("mild", "moderate", "severe")),
            "exposureRoute": route,
            "note": notes,
        }
    )
    showed = r4_elements.concepts(sent, "manifestation")
    silent = [{"text": description}] if description else [r4_elements.concept("", ())]
    return {"manifestation": showed or silent, **known} if showed or known else {}


_CERTAINTY = "http://hl7.org/fhir/StructureDefinition/allergyintolerance-certainty"


def _certainty(sent: Element) -> list[Part]:
    """The certainty that the substance was the cause: an element of DSTU2, for which R4 has an extension."""
    code = known_code(sent, "certainty", ("unlikely", "likely", "confirmed"))
    said = r4_elements.terminology("reaction-event-certainty", code)
    return [{"url": _CERTAINTY, "valueCodeableConcept": said}] if code else []


def condition(told: PresentedRecord) -> Item | None:
    """Condition (IPS). One that was ruled out is left out. con-4: one that has ended is not active."""
    sent = told.resource
    verification = known_code(sent, "verificationStatus", _CERTAINTIES)
    if verification == "refuted":
        return None
    is_to_come = isinstance(told.entry, ConditionEntry) and bool(told.entry.ends)  # its line says when it ends
    ended = When() if is_to_come else moments.read(sent, "abatement", means="ended")
    has_ended = bool(ended) or elements.flag(sent, "abatementBoolean") is True
    clinical = known_code(sent, "clinicalStatus", _DISEASE_CODES)
    if has_ended and clinical in {"active", "recurrence", "relapse"}:
        ended = When()  # the two contradict each other; the status is safer
    elif has_ended and not clinical:
        clinical = "resolved"
    title, concept = _named(told, "code")
    severity = elements.child(sent, "severity")
    resource = r4_elements.without_empty(
        {
            "resourceType": "Condition",
            "clinicalStatus": _status("condition-clinical", clinical),
            "verificationStatus": verification and _status("condition-ver-status", verification),
            "category": [_kept_as(told.entry)],
            "severity": severity
            and r4_elements.concept(codeable_concepts.title_of(severity), codeable_concepts.codes_of(severity)),
            "code": concept,
            "bodySite": r4_elements.concepts(sent, "bodySite"),
            "stage": [
                {"summary": said}
                for each in elements.children(sent, "stage")
                for said in r4_elements.concepts(each, "summary")
            ],
            **r4_elements.since("onset", moments.read(sent, "onset", means="started")),
            **r4_elements.since("abatement", ended),
            "recordedDate": r4_elements.date(moments.read(sent, "recordedDate", "dateRecorded", means="").starts),
        }
    )
    return Item(resource, title, narrating.details(told))


def _kept_as(entry: Entry) -> Part:
    """The category: a program that imports the document must not put on a problem list what was only noted at a
    visit."""
    is_of_a_visit = isinstance(entry, ConditionEntry) and entry.category is Category.VISIT
    return r4_elements.terminology(
        "condition-category", "encounter-diagnosis" if is_of_a_visit else "problem-list-item"
    )


_CERTAINTIES = ("unconfirmed", "provisional", "differential", "confirmed", "refuted")


def is_over(item: Item) -> bool:
    """Whether a condition is in the past."""
    codings = item.resource.get("clinicalStatus", {}).get("coding", [])
    return any(coding["code"] in _OVER for coding in codings)


def immunization(told: PresentedRecord) -> Item | None:
    """Immunization (IPS). One that was not given is left out: it is not a vaccination."""
    sent = told.resource
    if elements.flag(sent, "wasNotGiven") is True or not known_code(sent, "status", ("completed",)):
        return None
    title, concept = _named(told, "vaccineCode")
    when = moments.read(sent, "occurrence", "date", means="given")
    occurrence = {"occurrenceString": when.text} if when.text else r4_elements.start("occurrence", when)
    lot = elements.text(sent, "lotNumber")
    resource = {"resourceType": "Immunization", "status": "completed", "vaccineCode": concept, **occurrence}
    resource |= r4_elements.without_empty({"lotNumber": lot, "protocolApplied": _doses(told.entry)})
    if elements.flag(sent, "isSubpotent") is True:  # a modifier: without it, the dose would count as full
        resource["isSubpotent"] = True
    if isinstance(told.entry, ImmunizationEntry) and told.entry.is_reported:  # given elsewhere
        origin = next(iter(r4_elements.concepts(sent, "reportOrigin")), {})
        resource |= {"primarySource": False, **({"reportOrigin": origin} if origin else {})}
    return Item(resource, title, narrating.details(told), subject_name="patient")


def _doses(entry: Entry) -> list[Part]:
    """Which dose of which series: R4 requires the dose number in each, which may be a string."""
    doses = entry.doses if isinstance(entry, ImmunizationEntry) else ()
    return [
        r4_elements.without_empty(
            {"series": dose.series, "doseNumberString": dose.number, "seriesDosesString": dose.of}
        )
        for dose in doses
        if dose.number and not dose.counts_not
    ]


_PROCEDURE_STATUSES = ("preparation", "in-progress", "on-hold", "stopped", "completed", "aborted", "not-done")


def procedure(told: PresentedRecord) -> Item | None:
    """Procedure (IPS). One that was not done is left out."""
    sent = told.resource
    status = known_code(sent, "status", _PROCEDURE_STATUSES)
    if elements.flag(sent, "notPerformed") is True or status == "not-done":
        return None
    known = {"aborted": "stopped"}.get(status, status) or "unknown"
    title, concept = _named(told, "code")
    when = moments.read(sent, "performed", means="done")
    performed = {"performedString": when.text} if when.text else r4_elements.moment("performed", when, is_needed=True)
    several = {name: r4_elements.concepts(sent, name) for name in ("bodySite", "complication")}
    one = {name: next(iter(r4_elements.concepts(sent, name)), {}) for name in ("statusReason", "outcome")}
    resource = r4_elements.without_empty(
        {"resourceType": "Procedure", "status": known, "code": concept, **performed, **several, **one}
    )
    return Item(resource, title, narrating.details(told))


def plan(told: PresentedRecord) -> Item | None:
    """A current CarePlan, but not one that represents a care team in DSTU2."""
    sent = told.resource
    status = known_code(sent, "status", ("active", "on-hold"))
    if told.subject is None or told.subject.key != "plans" or not status:
        return None
    description = elements.text(sent, "description") or told.entry.narrative
    activities = [_activity(elements.child(each, "detail"), told) for each in elements.children(sent, "activity")]
    when = moments.read(sent, "period", means="started")
    resource = r4_elements.without_empty(
        {
            "resourceType": "CarePlan",
            "status": status,
            "intent": known_code(sent, "intent", ("proposal", "plan", "order", "option")) or "plan",
            "description": description,
            "period": r4_elements.period(when),
            "activity": [{"detail": activity} for activity in activities if activity],
        }
    )
    title = told.entry.title or description
    return Item(resource, title, narrating.details(told, description if description != title else ""))


def _activity(detail: Element, told: PresentedRecord) -> Part:
    said = care_plans.what_to_do(detail, told.context, within=told.resource)
    is_to_avoid = care_plans.is_to_avoid(detail)
    if care_plans.is_withdrawn(detail) or not (said or is_to_avoid):
        return {}
    known = ("not-started", "scheduled", "in-progress", "on-hold", "completed", "cancelled", "stopped")
    activity = {"status": known_code(detail, "status", known) or "unknown", "description": said or "…"}
    return {**activity, "doNotPerform": True} if is_to_avoid else activity


def _named(told: PresentedRecord, *names: str) -> tuple[str, Part]:
    """Its name, and the concept that has it."""
    sent = next((found for name in names if (found := elements.child(told.resource, name))), {})
    title = codeable_concepts.title_of(sent) or told.entry.title
    return title, r4_elements.concept(title, codeable_concepts.codes_of(sent) or told.entry.codes)


def _status(system: str, code: str) -> Part:
    return r4_elements.terminology(system, code) if code else r4_elements.absent()


def known_code(sent: Element, name: str, known: Iterable[str]) -> str:
    """The first of its codes that R4 knows, however it is spelled and in whichever form it came; else empty."""
    return next((code for code in heads.status_codes(sent, name) if code in known), "")
