"""MedicationRequest: what R4 calls a prescription; DSTU2 has `medication_order`."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment, plain
from apps.sandbox.people.facts import Prescription
from apps.sandbox.people.resources import dosage

_CATEGORY = "http://terminology.hl7.org/CodeSystem/medicationrequest-category"


def r4(fact: Prescription, chart: Chart) -> Element:
    """MedicationRequest in R4; intent is plan for what the patient only reports (US Core)."""
    return {
        "resourceType": "MedicationRequest",
        "id": chart.id("MedicationRequest", fact.key),
        "status": fact.status,
        "intent": "plan" if fact.is_reported else "order",
        "category": [plain(_CATEGORY, "community", "Community")],
        "reportedBoolean": fact.is_reported,
        "medicationCodeableConcept": concept(fact.drug),
        "subject": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "authoredOn": moment(fact.written_at),
        "requester": chart.to_practitioner(fact.practitioner),
        "reasonCode": [concept(fact.reason)],
        "note": [{"text": fact.note}] if fact.note else None,
        "dosageInstruction": [dosage.r4(fact.regimen)],
        "dispenseRequest": {
            "validityPeriod": {"start": moment(fact.written_at.date()), "end": moment(fact.ends_on)},
            "numberOfRepeatsAllowed": fact.refills or None,
        },
    }
