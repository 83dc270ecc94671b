"""How often and how much each time, for things without a presenter of their own: a device, a diet, tube feeding."""

from collections.abc import Iterator
from typing import Final

from apps.records.presenters import elements
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.dosing import dosages
from apps.records.presenters.dosing.dosages import Dosage
from apps.records.presenters.elements import Element

_TIMINGS: Final = ("occurrenceTiming", "timingTiming")
_RATES: Final = ("rateQuantity", "rateRatio")


def read(resource: Element) -> tuple[Dosage, ...]:
    """The schedules of a resource; if there are several, each with what it is for."""
    needed = {"asNeededCodeableConcept": resource["prnReason"]} if "prnReason" in resource else {}
    own = dosages.of_timing({**resource, **needed}, *_TIMINGS)
    return (*own, *dosages.read({"dosage": list(_of_food(resource))}))


def _of_food(resource: Element) -> Iterator[Element]:
    """The parts of a NutritionOrder in the form of dosages: the diet, the supplements and the tube feeding."""
    if resource.get("resourceType") != "NutritionOrder":
        return
    for part in (*elements.children(resource, "oralDiet"), *elements.children(resource, "supplement")):
        name = elements.text(part, "productName") or title_of(elements.child(part, "type"))
        of_what: Element = {"additionalInstruction": [{"text": name}]} if name else {}
        yield from ({"timing": schedule, **of_what} for schedule in elements.children(part, "schedule"))
    formula = elements.child(resource, "enteralFormula")
    for part in elements.children(formula, "administration"):
        rates: Element = {name: part[name] for name in _RATES if name in part}
        sent: Element = {"timing": part.get("schedule"), "doseQuantity": part.get("quantity"), **rates}
        yield {name: value for name, value in sent.items() if value}
