"""MedicationOrder: what DSTU2 calls a prescription; R4 has `medication_request`."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment
from apps.sandbox.people.facts import Prescription
from apps.sandbox.people.resources import dosage, medication

_STATUSES = {"cancelled": "stopped", "unknown": "on-hold"}


def dstu2(fact: Prescription, chart: Chart) -> Element:
    """MedicationOrder in DSTU2; the drug is a referenced Medication."""
    return {
        "resourceType": "MedicationOrder",
        "id": chart.id("MedicationOrder", fact.key),
        "dateWritten": moment(fact.written_at),
        "status": _STATUSES.get(fact.status, fact.status),
        "dateEnded": moment(fact.ends_on) if fact.status in ("completed", "stopped") else None,
        "patient": chart.subject(),
        "prescriber": chart.to_practitioner(fact.practitioner),
        "encounter": chart.to("Encounter", fact.visit),
        "reasonCodeableConcept": concept(fact.reason),
        "note": fact.note,
        "medicationReference": chart.to_clinic("Medication", medication.key(fact.drug), fact.drug.display),
        "dosageInstruction": [dosage.dstu2(fact.regimen)],
        "dispenseRequest": {
            "validityPeriod": {"start": moment(fact.written_at.date()), "end": moment(fact.ends_on)},
            "numberOfRepeatsAllowed": fact.refills or None,
        },
    }
