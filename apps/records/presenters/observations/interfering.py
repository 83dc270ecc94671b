"""What another observation says against the value of one (DSTU2 Observation.related): it interferes with it, as
hemolysis does with potassium, or qualifies it. R4 has no such element."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from apps.records.presenters import elements, naming, outline
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.heads import status_codes

_TURNING: Final = ("interfered-by", "qualified-by")
_MOST: Final = 30  # more is an accident


def read(resource: Element, context: Context) -> tuple[str, ...]:
    """Each as it was sent, on one line, with the name of the other or, where that has none, an ellipsis."""
    return tuple(dict.fromkeys(islice(_read(resource, context), _MOST))) if "related" in resource else ()


def _read(resource: Element, context: Context) -> Iterator[str]:
    for part in elements.children(resource, "related"):
        for kind in status_codes(part, "type"):
            if kind in _TURNING:
                name = naming.name_of(part.get("target"), context, within=resource)
                yield f"{outline.label_of(kind)}: {name or '…'}"
