"""Encounter. DSTU2: `patient`, class is a code, `reason`. R4: `subject`, class is a Coding, `reasonCode`."""

from datetime import timedelta

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.clinic import PLACE_OF_SETTING
from apps.sandbox.people.elements import Element, concept, period
from apps.sandbox.people.facts import Visit

_CLASS = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
_R4_CLASSES = {
    "ambulatory": ("AMB", "ambulatory"),
    "emergency": ("EMER", "emergency"),
    "inpatient": ("IMP", "inpatient encounter"),
    "home": ("HH", "home health"),
    "virtual": ("VR", "virtual"),
}


def dstu2(fact: Visit, chart: Chart) -> Element:
    """Encounter in DSTU2."""
    return {
        "resourceType": "Encounter",
        "id": chart.id("Encounter", fact.key),
        "status": fact.status,
        "class": fact.setting,
        "type": [concept(fact.kind)],
        "patient": chart.subject(),
        "participant": [{"individual": chart.to_practitioner(fact.practitioner)}],
        "period": _period(fact),
        "reason": [concept(fact.reason)],
        "location": [{"location": _place(fact, chart)}],
        "serviceProvider": chart.to_organization("practice"),
    }


def r4(fact: Visit, chart: Chart) -> Element:
    """Encounter in R4."""
    code, display = _R4_CLASSES[fact.setting]
    return {
        "resourceType": "Encounter",
        "id": chart.id("Encounter", fact.key),
        "status": fact.status,
        "class": {"system": _CLASS, "code": code, "display": display},
        "type": [concept(fact.kind)],
        "subject": chart.subject(),
        "participant": [{"individual": chart.to_practitioner(fact.practitioner)}],
        "period": _period(fact),
        "reasonCode": [concept(fact.reason)],
        "location": [{"location": _place(fact, chart)}],
        "serviceProvider": chart.to_organization("practice"),
    }


def _period(fact: Visit) -> Element | None:
    ended_at = fact.at + timedelta(minutes=fact.minutes) if fact.status == "finished" else None
    return period(fact.at, ended_at)


def _place(fact: Visit, chart: Chart) -> Element:
    key = PLACE_OF_SETTING.get(fact.setting, "rooms")
    return chart.to_clinic("Location", key, chart.clinic.places[key].name)
