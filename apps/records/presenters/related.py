"""What a resource belongs to: the visit at which it was made, or for a visit, the conditions that it was about (patient
experience 3.5 and 3.7). We go only by references to the same root, and never guess from dates.
"""

from collections.abc import Iterator
from typing import Final

from apps.records.presenters import elements, naming
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context

# DSTU2 and R4. `context` is the visit itself or, in a document, contains it as `encounter`.
_OF_A_VISIT: Final = ("encounter", "context", "partOf")
_VISIT: Final = frozenset({"Encounter"})
_CONDITION: Final = frozenset({"Condition"})


def named_by(resource: Element, context: Context) -> tuple[str, ...]:
    """What a resource belongs to, as `Type/id`, without repetition. A visit also belongs to itself, so that its id
    finds it together with everything from that visit."""
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
    """The conditions of a visit: its diagnoses or reasons in R4, its `indication` in DSTU2."""
    for diagnosis in elements.children(visit, "diagnosis"):
        yield from naming.own_ids_of(diagnosis, "condition", context, types=_CONDITION)
    for name in ("indication", "reasonReference"):
        yield from naming.own_ids_of(visit, name, context, types=_CONDITION)
