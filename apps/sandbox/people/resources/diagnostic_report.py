"""DiagnosticReport. DSTU2: one category, one performer, `codedDiagnosis`. R4: lists of both, `conclusionCode`."""

import base64

from apps.sandbox.people import attachments
from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, coding, concept, moment
from apps.sandbox.people.facts import Report

_DSTU2_LAB = {"coding": [{"system": "http://hl7.org/fhir/v2/0074", "code": "LAB", "display": "Laboratory"}]}


def dstu2(fact: Report, chart: Chart) -> Element:
    """DiagnosticReport in DSTU2."""
    return {
        "resourceType": "DiagnosticReport",
        "id": chart.id("DiagnosticReport", fact.key),
        "status": fact.status,
        "category": _DSTU2_LAB if fact.category.code == "LAB" else concept(fact.category),
        "code": concept(fact.code),
        "subject": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "effectiveDateTime": moment(fact.at),
        "issued": moment(fact.issued_at),
        "performer": chart.to_organization("laboratory"),
        "result": [chart.to("Observation", key) for key in fact.results],
        "conclusion": fact.conclusion,
        "codedDiagnosis": [concept(fact.conclusion_code)],
        "presentedForm": [_inline_text(fact), attachments.linked(fact.document, chart)],
    }


def r4(fact: Report, chart: Chart) -> Element:
    """DiagnosticReport in R4."""
    return {
        "resourceType": "DiagnosticReport",
        "id": chart.id("DiagnosticReport", fact.key),
        "status": fact.status,
        "category": [{"coding": [coding(fact.category)], "text": fact.category.display}],
        "code": concept(fact.code),
        "subject": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "effectiveDateTime": moment(fact.at),
        "issued": moment(fact.issued_at),
        "performer": [chart.to_organization("laboratory")],
        "specimen": [chart.to("Specimen", fact.specimen)],
        "result": [chart.to("Observation", key) for key in fact.results],
        "conclusion": fact.conclusion,
        "conclusionCode": [concept(fact.conclusion_code)],
        "presentedForm": [_inline_text(fact), attachments.linked(fact.document, chart)],
    }


def _inline_text(fact: Report) -> Element | None:
    """The report as plain text inside the resource, as the observed interface sends some."""
    if fact.text is None:
        return None
    data = base64.b64encode(fact.text.encode()).decode()
    return {"contentType": "text/plain", "data": data, "title": fact.code.display, "creation": moment(fact.issued_at)}
