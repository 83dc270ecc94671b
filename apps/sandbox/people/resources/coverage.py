"""Coverage: R4 only."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, period, plain
from apps.sandbox.people.facts import Insurance

_CLASS = "http://terminology.hl7.org/CodeSystem/coverage-class"


def r4(fact: Insurance, chart: Chart) -> Element:
    """Coverage in R4."""
    return {
        "resourceType": "Coverage",
        "id": chart.id("Coverage", fact.key),
        "identifier": [{"system": "urn:oid:2.16.840.1.113883.3.9999.2", "value": fact.member_number}],
        "status": fact.status,
        "type": plain("http://terminology.hl7.org/CodeSystem/v3-ActCode", "HIP", "health insurance plan policy"),
        "subscriberId": fact.member_number,
        "beneficiary": chart.subject(),
        "relationship": plain("http://terminology.hl7.org/CodeSystem/subscriber-relationship", "self", "Self"),
        "period": period(fact.since, fact.until),
        "payor": [chart.to_organization("plan")],
        "class": [
            {"type": plain(_CLASS, "plan", "Plan"), "value": fact.plan, "name": fact.plan},
            {"type": plain(_CLASS, "group", "Group"), "value": fact.group},
        ],
    }
