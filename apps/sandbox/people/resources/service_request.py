"""ServiceRequest: R4 only."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment
from apps.sandbox.people.facts import Request


def r4(fact: Request, chart: Chart) -> Element:
    """ServiceRequest in R4."""
    return {
        "resourceType": "ServiceRequest",
        "id": chart.id("ServiceRequest", fact.key),
        "status": fact.status,
        "intent": "order",
        "category": [concept(fact.category)],
        "code": concept(fact.code),
        "subject": chart.subject(),
        "encounter": chart.to("Encounter", fact.visit),
        "authoredOn": moment(fact.authored_at),
        "requester": chart.to_practitioner(fact.practitioner),
        "reasonCode": [concept(fact.reason)],
        "note": [{"text": fact.note}] if fact.note else None,
    }
