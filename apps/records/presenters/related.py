"""What a resource says that it belongs to: the visit at which it came to be, and of a visit the conditions that it was
about (patient experience 3.5 and 3.7). By reference to its own root alone, and never by guessing from dates.
"""

from collections.abc import Iterator
from typing import Final

from apps.records.presenters import elements, naming
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context

# DSTU2 and R4: `context` is the visit itself, or has it among what a document was written in.
_OF_A_VISIT: Final = ("encounter", "context", "partOf")
_VISIT: Final = frozenset({"Encounter"})
_CONDITION: Final = frozenset({"Condition"})


def named_by(resource: Element, context: Context) -> tuple[str, ...]:
    """What it belongs to, each as `Type/id`, once. A visit belongs to itself as well: so it is found by its id."""
    names = [f"Encounter/{logical_id}" for logical_id in _visits(resource, context)]
    if elements.text(resource, "resourceType") == "Encounter":
        names.append(f"Encounter/{elements.text(resource, 'id')}")
        names += [f"Condition/{logical_id}" for logical_id in _conditions(resource, context)]
    return tuple(dict.fromkeys(names))


def _visits(resource: Element, context: Context) -> Iterator[str]:
    for name in _OF_A_VISIT:
        if name in resource:
            yield from naming.own_ids_of(resource, name, context, types=_VISIT)
    for part in elements.children(resource, "context"):
        yield from naming.own_ids_of(part, "encounter", context, types=_VISIT)


def _conditions(visit: Element, context: Context) -> Iterator[str]:
    """In R4 diagnoses or a reason, in DSTU2 what indicated it."""
    for diagnosis in elements.children(visit, "diagnosis"):
        yield from naming.own_ids_of(diagnosis, "condition", context, types=_CONDITION)
    for name in ("indication", "reasonReference"):
        yield from naming.own_ids_of(visit, name, context, types=_CONDITION)
