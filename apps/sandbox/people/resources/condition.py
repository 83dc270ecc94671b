"""Condition. DSTU2: `patient`, plain status codes, one category, `notes`. R4: `subject`, status concepts, `note`."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment, plain
from apps.sandbox.people.facts import Diagnosis

_CLINICAL = "http://terminology.hl7.org/CodeSystem/condition-clinical"
_VERIFICATION = "http://terminology.hl7.org/CodeSystem/condition-ver-status"
_CATEGORY = "http://terminology.hl7.org/CodeSystem/condition-category"
_US_CORE_CATEGORY = "http://hl7.org/fhir/us/core/CodeSystem/condition-category"
_ARGONAUT_CATEGORIES = {
    "problem-list-item": ("http://argonaut.hl7.org", "problem", "Problem"),
    "health-concern": ("http://argonaut.hl7.org", "health-concern", "Health Concern"),
    "encounter-diagnosis": ("http://hl7.org/fhir/condition-category", "diagnosis", "Diagnosis"),
}
_R4_CATEGORIES = {
    "problem-list-item": (_CATEGORY, "problem-list-item", "Problem List Item"),
    "health-concern": (_US_CORE_CATEGORY, "health-concern", "Health Concern"),
    "encounter-diagnosis": (_CATEGORY, "encounter-diagnosis", "Encounter Diagnosis"),
}


def dstu2(fact: Diagnosis, chart: Chart) -> Element:
    """Condition in DSTU2."""
    return {
        "resourceType": "Condition",
        "id": chart.id("Condition", fact.key),
        "patient": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "asserter": chart.to_practitioner("finch"),
        "dateRecorded": moment(fact.recorded_on),
        "code": concept(*fact.codes),
        "category": plain(*_ARGONAUT_CATEGORIES[fact.category]),
        "clinicalStatus": _clinical_status(fact),
        "verificationStatus": fact.verification,
        "severity": concept(fact.severity),
        "onsetDateTime": moment(fact.onset_on),
        "abatementDateTime": moment(fact.abated_on),
        "notes": fact.note,
    }


def r4(fact: Diagnosis, chart: Chart) -> Element:
    """Condition in R4. One entered in error has no clinical status (invariant con-5)."""
    in_error = fact.verification == "entered-in-error"
    return {
        "resourceType": "Condition",
        "id": chart.id("Condition", fact.key),
        "clinicalStatus": None if in_error else plain(_CLINICAL, _clinical_status(fact)),
        "verificationStatus": plain(_VERIFICATION, fact.verification),
        "category": [plain(*_R4_CATEGORIES[fact.category])],
        "severity": concept(fact.severity),
        "code": concept(*fact.codes),
        "subject": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "onsetDateTime": moment(fact.onset_on),
        "abatementDateTime": moment(fact.abated_on),
        "recordedDate": moment(fact.recorded_on),
        "asserter": chart.to_practitioner("finch"),
        "note": [{"text": fact.note}] if fact.note else None,
    }


def _clinical_status(fact: Diagnosis) -> str:
    if fact.is_in_remission:
        return "remission"
    return "resolved" if fact.abated_on else "active"
