"""Observation. DSTU2: one category, one interpretation, `comments`. R4: lists, `note`. See `observation_value`."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment, plain, quantity
from apps.sandbox.people.facts import Measurement
from apps.sandbox.people.resources import observation_value

_DSTU2_CATEGORIES = "http://hl7.org/fhir/observation-category"
_R4_CATEGORIES = "http://terminology.hl7.org/CodeSystem/observation-category"
_DSTU2_INTERPRETATIONS = "http://hl7.org/fhir/v2/0078"
_R4_INTERPRETATIONS = "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation"
_WORDS = {
    "L": "Low", "H": "High", "N": "Normal", "LL": "Critical low", "HH": "Critical high", "A": "Abnormal",
    "POS": "Positive", "NEG": "Negative",
}  # fmt: skip
_CATEGORY_WORDS = {
    "laboratory": "Laboratory", "vital-signs": "Vital Signs", "social-history": "Social History",
    "survey": "Survey", "exam": "Exam", "procedure": "Procedure", "imaging": "Imaging", "activity": "Activity",
    "therapy": "Therapy",
}  # fmt: skip


def dstu2(fact: Measurement, chart: Chart) -> Element:
    """Observation in DSTU2."""
    values = observation_value.dstu2(fact.value)
    code = fact.interpretation
    return {
        "resourceType": "Observation",
        "id": chart.id("Observation", fact.key),
        "status": fact.status,
        "category": plain(_DSTU2_CATEGORIES, _dstu2_category(fact.category), _CATEGORY_WORDS[fact.category]),
        "code": concept(fact.code),
        "subject": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "effectiveDateTime": moment(fact.at),
        "issued": moment(fact.issued_at),
        "performer": [_performer(fact, chart)],
        **values,
        "interpretation": plain(_DSTU2_INTERPRETATIONS, code, _WORDS[code]) if code else None,
        "comments": fact.note,
        "bodySite": concept(fact.site),
        "method": concept(fact.method),
        "referenceRange": _reference_range(fact),
        "component": [{"code": concept(part), **observation_value.dstu2(value)} for part, value in fact.components],
    }


def r4(fact: Measurement, chart: Chart) -> Element:
    """Observation in R4."""
    values = observation_value.r4(fact.value)
    code = fact.interpretation
    return {
        "resourceType": "Observation",
        "id": chart.id("Observation", fact.key),
        "status": fact.status,
        "category": [plain(_R4_CATEGORIES, fact.category, _CATEGORY_WORDS[fact.category])],
        "code": concept(fact.code),
        "subject": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "effectiveDateTime": moment(fact.at),
        "issued": moment(fact.issued_at),
        "performer": [_performer(fact, chart)],
        **values,
        "interpretation": [plain(_R4_INTERPRETATIONS, code, _WORDS[code])] if code else None,
        "note": [{"text": fact.note}] if fact.note else None,
        "bodySite": concept(fact.site),
        "method": concept(fact.method),
        "specimen": chart.to("Specimen", fact.specimen),
        "referenceRange": _reference_range(fact),
        "component": [{"code": concept(part), **observation_value.r4(value)} for part, value in fact.components],
    }


def _dstu2_category(category: str) -> str:
    """DSTU2's list has no activity."""
    return "exam" if category == "activity" else category


def _performer(fact: Measurement, chart: Chart) -> Element:
    return chart.to_organization("laboratory") if fact.category == "laboratory" else chart.to_practitioner("rowe")


def _reference_range(fact: Measurement) -> list[Element]:
    return [{"low": quantity(fact.low), "high": quantity(fact.high), "text": fact.reference_text}]
