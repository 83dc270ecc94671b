"""MedicationStatement. DSTU2: `patient`, `wasNotTaken`, note is a string. R4: `subject`, status not-taken, notes."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment, period
from apps.sandbox.people.facts import Intake


def dstu2(fact: Intake, chart: Chart) -> Element:
    """MedicationStatement in DSTU2."""
    return {
        "resourceType": "MedicationStatement",
        "id": chart.id("MedicationStatement", fact.key),
        "patient": chart.subject(),
        "informationSource": chart.subject(),
        "dateAsserted": moment(fact.asserted_at),
        "status": "completed" if fact.until else "active",
        "wasNotTaken": not fact.is_taken,
        "effectivePeriod": period(fact.since, fact.until),
        "note": fact.note,
        "medicationCodeableConcept": concept(fact.drug),
        "dosage": [{"text": fact.text}] if fact.text else None,
    }


def r4(fact: Intake, chart: Chart) -> Element:
    """MedicationStatement in R4."""
    return {
        "resourceType": "MedicationStatement",
        "id": chart.id("MedicationStatement", fact.key),
        "status": ("completed" if fact.until else "active") if fact.is_taken else "not-taken",
        "medicationCodeableConcept": concept(fact.drug),
        "subject": chart.subject(),
        "effectivePeriod": period(fact.since, fact.until),
        "dateAsserted": moment(fact.asserted_at),
        "informationSource": chart.subject(),
        "note": [{"text": fact.note}] if fact.note else None,
        "dosage": [{"text": fact.text}] if fact.text else None,
    }
