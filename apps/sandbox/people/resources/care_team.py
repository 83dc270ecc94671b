"""CareTeam: R4 only; DSTU2 says it with a CarePlan (`care_plan.dstu2_team`)."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, period
from apps.sandbox.people.facts import Team


def r4(fact: Team, chart: Chart) -> Element:
    """CareTeam in R4."""
    return {
        "resourceType": "CareTeam",
        "id": chart.id("CareTeam", fact.key),
        "status": fact.status,
        "name": fact.name,
        "subject": chart.subject(),
        "period": period(fact.since),
        "participant": [{"role": [concept(role)], "member": chart.to_practitioner(key)} for key, role in fact.members],
        "managingOrganization": [chart.to_organization("practice")],
    }
