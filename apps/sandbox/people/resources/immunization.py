"""Immunization. DSTU2: `date`, `wasNotGiven`, `reported`, `vaccinationProtocol`. R4: occurrence[x], status not-done,
`primarySource`, `protocolApplied`."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment
from apps.sandbox.people.facts import Vaccination


def dstu2(fact: Vaccination, chart: Chart) -> Element:
    """Immunization in DSTU2: one not given is completed with `wasNotGiven`."""
    given = fact.status != "not-done"
    return {
        "resourceType": "Immunization",
        "id": chart.id("Immunization", fact.key),
        "status": "completed" if fact.status == "not-done" else fact.status,
        "date": moment(fact.at),
        "vaccineCode": concept(fact.vaccine),
        "patient": chart.subject(),
        "wasNotGiven": not given,
        "reported": fact.is_reported,
        "performer": chart.to_practitioner("rowe") if given and not fact.is_reported else None,
        "encounter": chart.to("Encounter", fact.visit),
        "lotNumber": fact.lot,
        "site": concept(fact.site),
        "note": [{"text": fact.note}] if fact.note else None,
        "explanation": None if given else {"reasonNotGiven": [concept(fact.reason)]},
        "vaccinationProtocol": [_protocol(fact)] if fact.dose else None,
    }


def _protocol(fact: Vaccination) -> Element:
    """Which dose it was. The target disease is required here, and the vaccine's name says it."""
    counts = {"coding": [{"system": "http://hl7.org/fhir/vaccination-protocol-dose-status", "code": "count"}]}
    return {"doseSequence": fact.dose, "doseTarget": [concept(fact.vaccine)], "doseStatus": counts}


def r4(fact: Vaccination, chart: Chart) -> Element:
    """Immunization in R4."""
    given = fact.status != "not-done"
    return {
        "resourceType": "Immunization",
        "id": chart.id("Immunization", fact.key),
        "status": fact.status,
        "statusReason": None if given else concept(fact.reason),
        "vaccineCode": concept(fact.vaccine),
        "patient": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "occurrenceDateTime": moment(fact.at),
        "primarySource": not fact.is_reported,
        "lotNumber": fact.lot,
        "site": concept(fact.site),
        "performer": [{"actor": chart.to_practitioner("rowe")}] if given and not fact.is_reported else None,
        "note": [{"text": fact.note}] if fact.note else None,
        "protocolApplied": [{"doseNumberPositiveInt": fact.dose}] if fact.dose else None,
    }
