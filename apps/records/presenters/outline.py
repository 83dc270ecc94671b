"""Every element of a resource as labels and values, for the fold "What the provider sent" (patient experience 3.10).

Labels are FHIR's names in words. The addresses of code systems and extensions stand beside the elements that they are
about, as references for technicians. The content of files, and narratives, are shown elsewhere, and only named here. A
resource that is too deep or too long is cut, and the outline says so.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from apps.records.presenters import elements
from apps.records.presenters.elements import Element

MOST_LINES = 500
DEEPEST = 12
_LONGEST_VALUE = 1000
_ADDRESS = re.compile(r"https?://|urn:")
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
# An element of several types (value[x]) ends with the type that was sent.
_CHOICE = re.compile(
    r"(value|onset|effective|performed|occurrence|abatement|deceased|medication|scheduled|asNeeded|rate|dose|detail|"
    r"serviced|born|age|content|reported|collected|multipleBirth|fastingStatus|answer|timing|product)[A-Z][A-Za-z]+"
)
_LEFT_OUT = frozenset({"resourceType", "div"})
_NOT_SHOWN = frozenset({"data"})  # the content of files: kilobytes of base64


@dataclass(frozen=True)
class Line:
    """One element: a value, or a heading over the deeper lines that follow. `reference` is for technicians."""

    depth: int = 0
    label: str = ""
    value: str = ""
    reference: str = ""


@dataclass(frozen=True)
class Outline:
    """The lines, in the order sent. `is_cut`: there were more."""

    lines: tuple[Line, ...] = ()
    is_cut: bool = False


def of(resource: Element) -> Outline:
    """The outline of a resource."""
    lines: list[Line] = []
    is_cut = False
    for line in _lines(resource, 0):
        if line is None or len(lines) >= MOST_LINES:
            is_cut = True
            if len(lines) >= MOST_LINES:
                break
        else:
            lines.append(line)
    return Outline(tuple(lines), is_cut)


def as_sent(element: Element, *names: str) -> tuple[str, ...]:
    """Those of these elements that are present, each on one line: "Frequency 1"; "Route: Coding 26643006". The
    addresses of code systems are left out, since they mean nothing to readers."""
    sent = ({name: element[name]} for name in dict.fromkeys(names) if element.get(name) not in (None, "", [], {}))
    told = ([line for line in of(one).lines if not _names_a_system(line)] for one in sent)
    return tuple("".join(map(_on_one_line, lines)).rstrip(":, ")[:_LONGEST_VALUE] for lines in told)


def _on_one_line(line: Line) -> str:
    if line.value:
        return f"{line.label} {line.value}, "
    return f"{line.label} {line.reference}: " if line.reference and not line.depth else f"{line.label}: "


def _names_a_system(line: Line) -> bool:
    return line.label == "System" and _ADDRESS.match(line.value) is not None


def label_of(name: str) -> str:
    """An element's name in words: valueQuantity becomes "Value", clinicalStatus "Clinical status"."""
    choice = _CHOICE.fullmatch(name.lstrip("_"))
    words = _WORD.findall(choice[1] if choice else name) or [name]
    lowered = " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words)
    return elements.shown(lowered[:1].upper() + lowered[1:])[:100]


def _lines(element: Element, depth: int) -> Iterator[Line | None]:
    """The lines of an element; None stands for a part that is too deep to show."""
    for name, value in element.items():
        if name not in _LEFT_OUT:
            for item in value if isinstance(value, list) else [value]:
                yield from _of_item(str(name), item, depth)


def _of_item(name: str, item: Any, depth: int) -> Iterator[Line | None]:
    if isinstance(item, list):  # FHIR has no lists within lists
        yield None
    elif not isinstance(item, dict):
        if value := _value(name, item):
            yield Line(depth, label_of(name), value)
    elif depth >= DEEPEST:
        yield None
    elif said := _coding(item):
        yield Line(depth, label_of(name), said, _technical(item))
    elif item:
        yield Line(depth, label_of(name), "", _technical(item))
        rest = {key: value for key, value in item.items() if not (key == "url" and name in _EXTENSIONS)}
        yield from _lines(rest, depth + 1)


_EXTENSIONS = frozenset({"extension", "modifierExtension"})
_OF_A_CODING = frozenset({"system", "version", "code", "display", "userSelected", "id"})


def _coding(item: Element) -> str:
    """A Coding on one line."""
    if not ("code" in item and "system" in item) or not item.keys() <= _OF_A_CODING:
        return ""
    display, code = elements.text(item, "display"), elements.text(item, "code")
    return f"{display} ({code})" if display and code else display or code


def _technical(item: Element) -> str:
    return elements.text(item, "system") if _coding(item) else elements.text(item, "url")


def _value(name: str, item: Any) -> str:
    if name in _NOT_SHOWN and isinstance(item, str):
        return "…" if item else ""
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, int | float | Decimal):
        return _number(item)
    return elements.shown(item)[:_LONGEST_VALUE]


def _number(item: float | Decimal) -> str:
    try:
        return str(item)[:100]
    except ValueError:  # an integer of thousands of digits
        return "…"
