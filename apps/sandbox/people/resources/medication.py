"""Medication: read by reference in DSTU2 only, where orders point at it; R4 orders carry the drug themselves."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.codes import Code
from apps.sandbox.people.elements import Element, concept


def key(drug: Code) -> str:
    """The key of a drug's Medication resource."""
    return f"drug-{drug.code}"


def dstu2(drug: Code, chart: Chart) -> Element:
    """Medication in DSTU2; it belongs to the practice's formulary, not to a patient."""
    return {
        "resourceType": "Medication",
        "id": chart.to_clinic("Medication", key(drug))["reference"].partition("/")[2],
        "code": concept(drug),
        "isBrand": False,
    }
