"""How a drug is taken, as part of orders and requests. DSTU2 spells `periodUnits`, R4 `periodUnit`."""

from apps.sandbox.people.elements import Element, concept, quantity
from apps.sandbox.people.facts import Regimen


def dstu2(regimen: Regimen) -> Element:
    """MedicationOrder.dosageInstruction in DSTU2."""
    return {
        "text": regimen.sentence,
        "timing": {"repeat": {"frequency": regimen.times, "period": regimen.per, "periodUnits": regimen.unit}},
        "asNeededBoolean": regimen.as_needed,
        "route": concept(regimen.route),
        "doseQuantity": quantity(regimen.amount),
    }


def r4(regimen: Regimen) -> Element:
    """Dosage in R4."""
    return {
        "text": regimen.sentence,
        "timing": {"repeat": {"frequency": regimen.times, "period": regimen.per, "periodUnit": regimen.unit}},
        "asNeededBoolean": regimen.as_needed,
        "route": concept(regimen.route),
        "doseAndRate": [{"doseQuantity": quantity(regimen.amount)}],
    }
