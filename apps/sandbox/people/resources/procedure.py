"""Procedure. DSTU2: `notPerformed`, reason[x], `notes`. R4: status not-done, `reasonCode`, `note`."""

from datetime import timedelta

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, period, plain
from apps.sandbox.people.facts import Operation

_ACTION = "http://hl7.org/fhir/device-action"


def dstu2(fact: Operation, chart: Chart) -> Element:
    """Procedure in DSTU2: one not done is completed with `notPerformed`."""
    done = fact.status != "not-done"
    return {
        "resourceType": "Procedure",
        "id": chart.id("Procedure", fact.key),
        "subject": chart.subject(),
        "status": fact.status if done else "completed",
        "code": concept(fact.code),
        "notPerformed": None if done else True,
        "reasonNotPerformed": None if done else [concept(fact.reason)],
        "bodySite": [concept(fact.site)],
        "reasonCodeableConcept": concept(fact.reason) if done else None,
        "performer": [{"actor": chart.to_practitioner(fact.practitioner)}] if done else None,
        "performedPeriod": _period(fact),
        "encounter": chart.to("Encounter", fact.visit),
        "outcome": concept(fact.outcome),
        "notes": [{"text": fact.note}] if fact.note else None,
        "focalDevice": _focal_device(fact, chart),
    }


def r4(fact: Operation, chart: Chart) -> Element:
    """Procedure in R4."""
    done = fact.status != "not-done"
    return {
        "resourceType": "Procedure",
        "id": chart.id("Procedure", fact.key),
        "status": fact.status,
        "statusReason": None if done else concept(fact.reason),
        "code": concept(fact.code),
        "subject": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "performedPeriod": _period(fact),
        "performer": [{"actor": chart.to_practitioner(fact.practitioner)}] if done else None,
        "reasonCode": [concept(fact.reason)] if done else None,
        "bodySite": [concept(fact.site)],
        "outcome": concept(fact.outcome),
        "note": [{"text": fact.note}] if fact.note else None,
        "focalDevice": _focal_device(fact, chart),
    }


def _period(fact: Operation) -> Element | None:
    return period(fact.started_at, fact.started_at + timedelta(minutes=fact.minutes))


def _focal_device(fact: Operation, chart: Chart) -> list[Element]:
    if fact.implant is None:
        return []
    return [{"action": plain(_ACTION, "implanted"), "manipulated": chart.to("Device", fact.implant)}]
