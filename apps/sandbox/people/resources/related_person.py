"""RelatedPerson: R4 only."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, period, telecom
from apps.sandbox.people.facts import Relative


def r4(fact: Relative, chart: Chart) -> Element:
    """RelatedPerson in R4."""
    given, family = fact.name
    return {
        "resourceType": "RelatedPerson",
        "id": chart.id("RelatedPerson", fact.key),
        "active": True,
        "patient": chart.subject(),
        "relationship": [concept(fact.relationship)],
        "name": [{"use": "official", "family": family, "given": [given]}],
        "telecom": telecom(fact.telephone),
        "gender": fact.gender,
        "period": period(fact.since),
    }
