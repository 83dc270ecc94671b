"""CarePlan: assessment and plan of treatment. In DSTU2 a care team is a CarePlan too, with category careteam."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, narrative, period, plain
from apps.sandbox.people.facts import Plan, Team

_ARGONAUT = "http://argonaut.hl7.org"
_US_CORE = "http://hl7.org/fhir/us/core/CodeSystem/careplan-category"


def dstu2(fact: Plan, chart: Chart) -> Element:
    """CarePlan in DSTU2; Argonaut makes the narrative compulsory."""
    return {
        "resourceType": "CarePlan",
        "id": chart.id("CarePlan", fact.key),
        "text": narrative(fact.title, (fact.text, *fact.activities)),
        "subject": chart.subject(),
        "status": fact.status,
        "period": period(fact.started_on, fact.ended_on),
        "author": [chart.to_practitioner("finch")],
        "category": [plain(_ARGONAUT, "assess-plan")],
        "description": fact.text,
        "addresses": [chart.to("Condition", key) for key in fact.concerns],
        "goal": [chart.to("Goal", key) for key in fact.aims],
        "activity": [
            {"detail": {"status": "in-progress", "prohibited": False, "description": activity}}
            for activity in fact.activities
        ],
    }


def dstu2_team(fact: Team, chart: Chart) -> Element:
    """A care team as DSTU2 has it: a CarePlan whose participants are the team."""
    members = [{"role": concept(role), "member": chart.to_practitioner(key)} for key, role in fact.members]
    names = [f"{chart.clinic.practitioners[key].name}: {role.display}" for key, role in fact.members]
    return {
        "resourceType": "CarePlan",
        "id": chart.id("CarePlan", fact.key),
        "text": narrative(fact.name, names),
        "subject": chart.subject(),
        "status": "active",
        "period": period(fact.since),
        "category": [plain(_ARGONAUT, "careteam")],
        "participant": members,
    }


def r4(fact: Plan, chart: Chart) -> Element:
    """CarePlan in R4."""
    return {
        "resourceType": "CarePlan",
        "id": chart.id("CarePlan", fact.key),
        "text": narrative(fact.title, (fact.text, *fact.activities)),
        "status": fact.status,
        "intent": "plan",
        "category": [plain(_US_CORE, "assess-plan", "Assessment and Plan of Treatment")],
        "title": fact.title,
        "description": fact.text,
        "subject": chart.subject(),
        "period": period(fact.started_on, fact.ended_on),
        "author": chart.to_practitioner("finch"),
        "addresses": [chart.to("Condition", key) for key in fact.concerns],
        "goal": [chart.to("Goal", key) for key in fact.aims],
        "activity": [
            {"detail": {"status": "in-progress", "doNotPerform": False, "description": activity}}
            for activity in fact.activities
        ],
    }
