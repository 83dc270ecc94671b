"""Provenance: who recorded what. DSTU2 says `agent.actor` with a role, R4 `agent.who` with a type."""

from datetime import datetime

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, moment, plain

_DSTU2_ROLES = "http://hl7.org/fhir/provenance-participant-role"
_R4_TYPES = "http://terminology.hl7.org/CodeSystem/provenance-participant-type"


def dstu2(key: str, recorded_at: datetime, targets: list[str], chart: Chart) -> Element:
    """Provenance in DSTU2 for targets given as "Type/id"."""
    return {
        "resourceType": "Provenance",
        "id": chart.id("Provenance", key),
        "target": [{"reference": target} for target in targets],
        "recorded": moment(recorded_at),
        "agent": [
            {
                "role": {"system": _DSTU2_ROLES, "code": "author", "display": "Author"},
                "actor": chart.to_practitioner("finch"),
            }
        ],
    }


def r4(key: str, recorded_at: datetime, targets: list[str], chart: Chart) -> Element:
    """Provenance in R4 for targets given as "Type/id"."""
    return {
        "resourceType": "Provenance",
        "id": chart.id("Provenance", key),
        "target": [{"reference": target} for target in targets],
        "recorded": moment(recorded_at),
        "agent": [
            {
                "type": plain(_R4_TYPES, "author", "Author"),
                "who": chart.to_practitioner("finch"),
                "onBehalfOf": chart.to_organization("practice"),
            }
        ],
    }
