"""Elements of R4, written so that they are valid whatever was sent: invalid ones are left out, or absent with a reason.

A code has no leading, trailing or double spaces; a URI has no spaces at all, and a scheme; a moment has seconds and an
offset (R4 section 2.24.0.1).
"""

import html
import re
from collections.abc import Iterable, Sequence
from typing import Any

from apps.records.presenters import codeable_concepts, elements
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code
from apps.wire import datetimes

Part = dict[str, Any]

UCUM = "http://unitsofmeasure.org"
_TERMINOLOGY = "http://terminology.hl7.org/CodeSystem/"
_ABSENT = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]((0\d|1[0-3]):[0-5]\d|14:00))", re.ASCII
)  # no zone is further away
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_URI = re.compile(r"urn:oid:[0-2](\.(0|[1-9][0-9]*))+|(?!urn:oid:)[a-z][a-z0-9+.-]*:\S+", re.ASCII | re.IGNORECASE)


def terminology(system: str, code: str) -> Part:
    """A CodeableConcept with one code from HL7 Terminology, given the last part of the code system's URL."""
    return coded(f"{_TERMINOLOGY}{system}", code)


def coded(system: str, code: str, display: str = "") -> Part:
    """A CodeableConcept with one code."""
    return {"coding": [_without_empty({"system": system, "code": code, "display": display})]}


def concept(title: str, codes: Iterable[Code]) -> Part:
    """The name of a thing and its codes, as sent. If neither was sent, the code that says so."""
    codings = [coding for coding in map(_coding, codes) if coding]
    return _without_empty({"coding": codings, "text": title}) or terminology("data-absent-reason", "unknown")


def concepts(sent: Element, *names: str) -> list[Part]:
    """The concepts in these elements that are not empty, as sent."""
    found = (each for name in names for each in elements.children(sent, name))
    said = ((codeable_concepts.title_of(each), codeable_concepts.codes_of(each)) for each in found)
    return [concept(title, codes) for title, codes in said if title or codes]


def absent(reason: str = "unknown") -> Part:
    """A required element whose value is unknown (R4 extension data-absent-reason)."""
    return {"extension": [{"url": _ABSENT, "valueCode": reason}]}


def moment(name: str, when: When, *, is_needed: bool = False) -> Part:
    """`name`DateTime or `name`Period. If there is neither and one is needed, absent with a reason. A period that ends
    before it starts is left out (per-1): nobody knows which side is wrong."""
    if when.ends or when.is_open:
        if written := period(when):
            return {f"{name}Period": written}
    elif when.starts:
        return {f"{name}DateTime": date(when.starts)}
    return {f"_{name}DateTime": absent()} if is_needed else {}


def period(when: When) -> Part:
    """A Period; empty if there is none, or if it ends before it starts."""
    return {} if _is_reversed(when) else _without_empty({"start": date(when.starts), "end": date(when.ends)})


def since(name: str, when: When) -> Part:
    """`name`DateTime, `name`Period or, for a text that is not a date ("as a child"), `name`String."""
    return {f"{name}String": when.text} if when.text and not when.starts else moment(name, when)


def _is_reversed(when: When) -> bool:
    """Whether it ends before it starts, at the precision of both."""
    known = min(len(when.starts), len(when.ends), len("2019-03-04"))
    starts, ends = datetimes.parse(when.starts), datetimes.parse(when.ends)
    if starts and ends and starts.precision == ends.precision:
        return starts.starts_at > ends.starts_at
    return when.starts[:known] > when.ends[:known]


def start(name: str, when: When) -> Part:
    """`name`DateTime, for an element that does not accept a period: when it began; absent with a reason if that was not
    sent."""
    starts = date(when.starts)
    return {f"{name}DateTime": starts} if starts else {f"_{name}DateTime": absent()}


def day(written: str) -> str:
    """A FHIR date, without a time of day; empty if it is not a date."""
    return written[: len("2019-03-04")] if datetimes.parse(written) else ""


def date(written: str) -> str:
    """A FHIR dateTime as sent; only its day if the time lacks seconds or an offset."""
    return written if len(written) <= len("2019-03-04") or _MOMENT.fullmatch(written) else written[: len("2019-03-04")]


def quantity(sent: Quantity) -> Part:
    """A Quantity with the digits as sent; nothing in it is invented."""
    unit = {"system": UCUM, "code": _code(sent.code)} if sent.code else {}
    return _without_empty({"value": sent.number, "comparator": sent.comparator, "unit": sent.unit, **unit})


def named(names: Sequence[str]) -> list[Part]:
    """References to people of whom only the name is known; absent with a reason if there is no name."""
    return [{"display": name} for name in names] or [absent()]


def uri(sent: str) -> str:
    """A URL or a code system as sent; empty if it is not a URI: a word like "SNOMED" identifies no system to a program
    (R4 section 2.24.0.7, Coding.system)."""
    return sent if _URI.fullmatch(sent) else ""


def narrative(
    lines: Iterable[str], rows: Sequence[Sequence[str]] = (), heading: Sequence[str] = (), *, language: str
) -> Part:
    """A Narrative: paragraphs and a table, with every text escaped (R4 section 2.4.0). It also says what no entry does:
    what is missing, and what is left out."""
    paragraphs = "".join(f"<p>{_text(line)}</p>" for line in lines)
    table = ""
    if rows:
        head = "".join(f"<th>{_text(cell)}</th>" for cell in heading)
        body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    head = f'<div xmlns="http://www.w3.org/1999/xhtml" lang="{language}" xml:lang="{language}">'
    return {"status": "additional", "div": f"{head}{paragraphs}{table}</div>"}


def without_empty(part: Part) -> Part:
    """The part without empty members: FHIR has no empty text, list or object (R4 section 2.1.0)."""
    return _without_empty(part)


def _without_empty(part: Part) -> Part:
    return {name: value for name, value in part.items() if value not in (None, "", [], {}, ())}


def _coding(code: Code) -> Part:
    return _without_empty({"system": uri(code.system), "code": _code(code.code), "display": code.display})


def _code(code: str) -> str:
    return " ".join(code.split())


def _text(text: str) -> str:
    """Text that is valid in XML, which does not allow some characters at all (XML 1.0, section 2.2)."""
    return html.escape(_NO_XML.sub("\ufffd", text), quote=False).replace("\n", "<br/>")
