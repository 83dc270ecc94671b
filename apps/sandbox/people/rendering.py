"""A story as FHIR: all resources of one version, in the order in which they are served, and the files of
its documents.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from apps.sandbox.people import attachments, facts
from apps.sandbox.people.chart import CLINIC, Chart, logical_id
from apps.sandbox.people.clinic import WILLOW_CREEK, Clinic, Practitioner
from apps.sandbox.people.codes import Code
from apps.sandbox.people.elements import Element, moment, with_dstu2_systems, without_blanks
from apps.sandbox.people.facts import Document, Fact, Story
from apps.sandbox.people.resources import (
    allergy_intolerance,
    care_plan,
    care_team,
    condition,
    coverage,
    device,
    diagnostic_report,
    document_reference,
    encounter,
    goal,
    immunization,
    medication,
    medication_dispense,
    medication_order,
    medication_request,
    medication_statement,
    observation,
    patient,
    practice,
    procedure,
    provenance,
    questionnaire,
    related_person,
    service_request,
    specimen,
)

VERSIONS = ("dstu2", "r4")
_NO_SINGLE_SOURCE = {"Patient", "MedicationStatement", "RelatedPerson", "Coverage", "Specimen"}
_SETTLED = datetime(2020, 1, 1, tzinfo=UTC)  # when the practice's own resources were last changed

Builder = Callable[[Any, Chart], Element]
BUILDERS: dict[str, dict[type, Builder]] = {
    "dstu2": {
        facts.Visit: encounter.dstu2,
        facts.Diagnosis: condition.dstu2,
        facts.Allergy: allergy_intolerance.dstu2,
        facts.Prescription: medication_order.dstu2,
        facts.Intake: medication_statement.dstu2,
        facts.Measurement: observation.dstu2,
        facts.Report: diagnostic_report.dstu2,
        facts.Vaccination: immunization.dstu2,
        facts.Operation: procedure.dstu2,
        facts.Implant: device.dstu2,
        facts.Aim: goal.dstu2,
        facts.Plan: care_plan.dstu2,
        facts.Team: care_plan.dstu2_team,
        facts.Document: document_reference.dstu2,
    },
    "r4": {
        facts.Visit: encounter.r4,
        facts.Diagnosis: condition.r4,
        facts.Allergy: allergy_intolerance.r4,
        facts.Prescription: medication_request.r4,
        facts.Intake: medication_statement.r4,
        facts.Handing: medication_dispense.r4,
        facts.Measurement: observation.r4,
        facts.Sample: specimen.r4,
        facts.Report: diagnostic_report.r4,
        facts.Vaccination: immunization.r4,
        facts.Operation: procedure.r4,
        facts.Implant: device.r4,
        facts.Aim: goal.r4,
        facts.Plan: care_plan.r4,
        facts.Team: care_team.r4,
        facts.Document: document_reference.r4,
        facts.Insurance: coverage.r4,
        facts.Request: service_request.r4,
        facts.Answers: questionnaire.r4_response,
        facts.Relative: related_person.r4,
    },
}

_TOLD: dict[type, str] = {
    facts.Visit: "at",
    facts.Diagnosis: "recorded_on",
    facts.Allergy: "recorded_at",
    facts.Prescription: "written_at",
    facts.Intake: "asserted_at",
    facts.Handing: "handed_over_at",
    facts.Measurement: "at",
    facts.Sample: "taken_at",
    facts.Report: "issued_at",
    facts.Vaccination: "at",
    facts.Operation: "started_at",
    facts.Implant: "made_on",
    facts.Aim: "agreed_on",
    facts.Plan: "started_on",
    facts.Team: "since",
    facts.Document: "at",
    facts.Insurance: "since",
    facts.Request: "authored_at",
    facts.Answers: "at",
    facts.Relative: "since",
}  # the member that says when a fact came to the practice


@dataclass(frozen=True)
class File:
    """The file of a document, by the name in its URL."""

    name: str
    content_type: str
    content: bytes


def resources(story: Story, version: str, clinic: Clinic = WILLOW_CREEK) -> Iterator[Element]:
    """The person's resources as `clinic` stores them: Patient first, facts newest first, Provenance last.

    A fact of a kind that the version lacks is left out.
    """
    chart = Chart(version, story.person, clinic)
    build = patient.dstu2 if version == "dstu2" else patient.r4
    latest = max((told_at(fact) for fact in story.facts), default=_SETTLED)
    yield _finished(build(story.person, chart), latest, version)
    recorded: dict[date, list[str]] = defaultdict(list)
    for fact in sorted(story.facts, key=told_at, reverse=True):
        builder = BUILDERS[version].get(type(fact))
        if builder is None:
            continue
        body = _finished(builder(fact, chart), told_at(fact), version)
        if body["resourceType"] not in _NO_SINGLE_SOURCE:
            recorded[told_at(fact).date()].append(f"{body['resourceType']}/{body['id']}")
        yield body
    yield from _provenance(recorded, chart)


def files(story: Story, version: str) -> Iterator[File]:
    """The files of the person's documents."""
    chart = Chart(version, story.person)
    for fact in story.facts:
        if isinstance(fact, Document) and not fact.inline:
            name = attachments.file_key(fact.key, fact.content_type, chart)
            yield File(name, fact.content_type, fact.content)


def practice_resources(version: str, clinic: Clinic = WILLOW_CREEK) -> Iterator[Element]:
    """What belongs to the practice: organizations, places, practitioners and, in R4, roles, endpoint, questionnaire."""

    def ids(resource_type: str, key: str) -> str:
        return _of_practice(version, resource_type, key)

    home = clinic.organizations["practice"]
    made = [practice.organization(version, one, ids) for one in clinic.organizations.values()]
    made += [practice.location(version, one, home, ids) for one in clinic.places.values()]
    made += [practice.practitioner(version, one, home, ids) for one in clinic.practitioners.values()]
    if version == "r4":
        made += [practice.practitioner_role(one, home, ids) for one in clinic.practitioners.values()]
        made += [practice.endpoint(home, clinic.mail, ids), questionnaire.r4(ids("Questionnaire", "mood"))]
    yield from (_finished(body, _SETTLED, version) for body in made)


def practitioner(version: str, one: Practitioner, practitioner_id: str, clinic: Clinic) -> Element:
    """The Practitioner for somebody who works at a clinic but is in no story, with a given id."""

    def ids(resource_type: str, key: str) -> str:
        return practitioner_id if resource_type == "Practitioner" else _of_practice(version, resource_type, key)

    return _finished(practice.practitioner(version, one, clinic.organizations["practice"], ids), _SETTLED, version)


def formulary(story: Story) -> Iterator[Element]:
    """The Medication resources that the story's DSTU2 orders refer to."""
    chart = Chart("dstu2", story.person)
    drugs: dict[str, Code] = {fact.drug.code: fact.drug for fact in story.facts if isinstance(fact, facts.Prescription)}
    for drug in drugs.values():
        yield _finished(medication.dstu2(drug, chart), _SETTLED, "dstu2")


def _of_practice(version: str, resource_type: str, key: str) -> str:
    return logical_id(version, CLINIC, resource_type, key)


def _provenance(recorded: dict[date, list[str]], chart: Chart) -> Iterator[Element]:
    """A Provenance for what was recorded in a day, with at most thirty targets."""
    build = provenance.dstu2 if chart.version == "dstu2" else provenance.r4
    for day, targets in recorded.items():
        at = datetime.combine(day, time(18), UTC)
        for start in range(0, len(targets), 30):
            yield _finished(build(f"{day}/{start}", at, targets[start : start + 30], chart), at, chart.version)


def told_at(fact: Fact) -> datetime:
    """When the practice recorded a fact."""
    value = getattr(fact, _TOLD[type(fact)])
    return value if isinstance(value, datetime) else _at_noon(value)


def _at_noon(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)


def _finished(body: Element, at: datetime, version: str) -> Element:
    """The body with its meta: last updated shortly after it was recorded, in UTC, as a server stamps it."""
    changed_at = (at + timedelta(minutes=7)).astimezone(UTC).replace(microsecond=0)
    head = {"resourceType": body.pop("resourceType"), "id": body.pop("id")}
    stamped = moment(changed_at)
    meta = {"versionId": "1", "lastUpdated": stamped and stamped.replace("+00:00", "Z")}
    whole: Element = without_blanks({**head, "meta": meta, **body})
    return with_dstu2_systems(whole) if version == "dstu2" else whole
