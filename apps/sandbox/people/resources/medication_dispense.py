"""MedicationDispense: R4 only."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment, plain, quantity
from apps.sandbox.people.facts import Handing


def r4(fact: Handing, chart: Chart) -> Element:
    """MedicationDispense in R4."""
    return {
        "resourceType": "MedicationDispense",
        "id": chart.id("MedicationDispense", fact.key),
        "status": "completed",
        "medicationCodeableConcept": concept(fact.drug),
        "subject": chart.subject(),
        "performer": [{"actor": chart.to_practitioner("tanaka")}],
        "authorizingPrescription": [chart.to("MedicationRequest", fact.prescription)],
        "type": plain("http://terminology.hl7.org/CodeSystem/v3-ActCode", "FF", "First Fill"),
        "quantity": quantity(fact.quantity),
        "daysSupply": {"value": fact.days, "unit": "days", "system": "http://unitsofmeasure.org", "code": "d"},
        "whenPrepared": moment(fact.prepared_at),
        "whenHandedOver": moment(fact.handed_over_at),
    }
