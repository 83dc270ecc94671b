"""Goal. DSTU2: one status, description is a string, `targetDate`. R4: lifecycle and achievement, targets."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment, plain, quantity
from apps.sandbox.people.facts import Aim

_ACHIEVEMENT = "http://terminology.hl7.org/CodeSystem/goal-achievement"
_DSTU2_STATUSES = {"active": "in-progress", "completed": "achieved"}


def dstu2(fact: Aim, chart: Chart) -> Element:
    """Goal in DSTU2."""
    return {
        "resourceType": "Goal",
        "id": chart.id("Goal", fact.key),
        "subject": chart.subject(),
        "startDate": moment(fact.agreed_on),
        "targetDate": moment(fact.due_on),
        "description": fact.text,
        "status": _DSTU2_STATUSES.get(fact.status, fact.status),
        "statusDate": moment(fact.agreed_on),
        "addresses": [chart.to("Condition", fact.concern)],
        "note": [{"text": fact.note}] if fact.note else None,
    }


def r4(fact: Aim, chart: Chart) -> Element:
    """Goal in R4."""
    return {
        "resourceType": "Goal",
        "id": chart.id("Goal", fact.key),
        "lifecycleStatus": fact.status,
        "achievementStatus": plain(_ACHIEVEMENT, fact.achievement),
        "description": concept(text=fact.text),
        "subject": chart.subject(),
        "startDate": moment(fact.agreed_on),
        "target": [
            {
                "measure": concept(fact.measured),
                "detailQuantity": quantity(fact.target),
                "dueDate": moment(fact.due_on),
            }
        ],
        "addresses": [chart.to("Condition", fact.concern)],
        "note": [{"text": fact.note}] if fact.note else None,
    }
