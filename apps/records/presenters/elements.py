"""Read elements of a resource that may be anything: missing, null, of another kind, or nested too deep.

Every function returns plain Python values and never raises. Text comes back as it was sent, less what no page and no
database can hold: NUL and other control characters except line breaks, and lone surrogates.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

Element: TypeAlias = dict[str, Any]

_LONGEST_TEXT = 4000
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def parse(body: bytes) -> Element:
    """The resource as a dictionary; empty where the body is not a JSON object."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def text(element: object, name: str) -> str:
    """The text of one element, stripped; empty where it is not text."""
    return shown(element.get(name)) if isinstance(element, dict) else ""


def texts(element: object, name: str) -> tuple[str, ...]:
    """The texts of a repeating element. DSTU2 repeats what R4 has once (`name.family`): both are read alike."""
    return tuple(filter(None, (shown(item) for item in _items(element, name))))


def child(element: object, name: str) -> Element:
    """One complex element; the first where it is sent as a list; empty where there is none."""
    return next(children(element, name), {})


def children(element: object, name: str) -> Iterator[Element]:
    """The complex elements of that name. A single one is read as a list of one."""
    return (item for item in _items(element, name) if isinstance(item, dict))


def words(concept: object) -> str:
    """What a CodeableConcept says: its text, else the first display, else the first code."""
    said = text(concept, "text")
    codings = list(children(concept, "coding"))
    displays = (text(coding, "display") for coding in codings)
    codes = (text(coding, "code") for coding in codings)
    return said or next(filter(None, displays), "") or next(filter(None, codes), "")


def codes(concept: object) -> tuple[str, ...]:
    """The codes of a CodeableConcept (R4), or of the plain code that DSTU2 has in its place."""
    if isinstance(concept, str):
        return tuple(filter(None, (shown(concept),)))
    return tuple(filter(None, (text(coding, "code") for coding in children(concept, "coding"))))


def shown(value: object) -> str:
    """Text fit to be shown; empty for anything that is not text."""
    return _UNSHOWABLE.sub("", value[:_LONGEST_TEXT]).strip() if isinstance(value, str) else ""


def _items(element: object, name: str) -> list[Any]:
    value = element.get(name) if isinstance(element, dict) else None
    return value if isinstance(value, list) else [value]
