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
_OF_A_CONDITION: Final = ("diagnosis", "indication", "reasonReference")
_NAMES: Final = frozenset((*_OF_A_VISIT, *_OF_A_CONDITION))
_VISIT: Final = frozenset({"Encounter"})
_CONDITION: Final = frozenset({"Condition"})


def named_by(resource: Element, context: Context) -> tuple[str, ...]:
    """What it belongs to, each as `Type/id`, once. A visit belongs to itself as well: so it is found by its id."""
    is_visit = resource.get("resourceType") == "Encounter"
    if not is_visit and _NAMES.isdisjoint(resource):
        return ()
    return tuple(dict.fromkeys((*_visits(resource, context), *(_of_visit(resource, context) if is_visit else ()))))


def _visits(resource: Element, context: Context) -> Iterator[str]:
    within = (part for name in ("context",) for part in elements.children(resource, name))
    parts = ((resource, _OF_A_VISIT), *((part, ("encounter",)) for part in within))
    for part, names in parts:
        for name in names:
            for logical_id in naming.own_ids_of(part, name, context, types=_VISIT):
                yield f"Encounter/{logical_id}"


def _of_visit(resource: Element, context: Context) -> Iterator[str]:
    yield f"Encounter/{elements.text(resource, 'id')}"
    for part, name in (
        *((diagnosis, "condition") for diagnosis in elements.children(resource, "diagnosis")),
        (resource, "indication"),
        (resource, "reasonReference"),
    ):
        for logical_id in naming.own_ids_of(part, name, context, types=_CONDITION):
            yield f"Condition/{logical_id}"
