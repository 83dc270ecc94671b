"""FHIR data types as JSON: the small parts that resources are made of, the same in DSTU2 and R4 unless they say so."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from apps.sandbox.people.codes import UCUM, Code
from apps.sandbox.people.person import Address
from apps.sandbox.people.values import Amount

Element = dict[str, Any]
_R4_TABLES = "http://terminology.hl7.org/CodeSystem/"


def coding(code: Code) -> Element:
    """A Coding."""
    return {"system": code.system, "code": code.code, "display": code.display}


def concept(*codes: Code | None, text: str | None = None) -> Element | None:
    """A CodeableConcept of the given codes with the first one's words as its text; None without any code or text."""
    known = [code for code in codes if code is not None]
    if not known and text is None:
        return None
    return {"coding": [coding(code) for code in known], "text": text or known[0].display}


def plain(system: str, code: str, display: str | None = None) -> Element:
    """A CodeableConcept of one coding and no text: statuses and categories."""
    return {"coding": [{"system": system, "code": code, "display": display}]}


def quantity(amount: Amount | None) -> Element | None:
    """A Quantity that keeps the digits as written."""
    if amount is None:
        return None
    return {
        "value": amount.decimal,
        "comparator": amount.comparator,
        "unit": amount.unit,
        "system": UCUM,
        "code": amount.code,
    }


def moment(at: datetime | date | None) -> str | None:
    """A date, or a dateTime with its offset."""
    return at.isoformat() if at is not None else None


def period(start: datetime | date | None, end: datetime | date | None = None) -> Element | None:
    """A Period; None when it has neither end."""
    return {"start": moment(start), "end": moment(end)} if start or end else None


def telecom(telephone: str | None, mail: str | None = None, use: str = "home") -> list[Element]:
    """ContactPoints for a telephone number and a mail address."""
    points = [("phone", telephone), ("email", mail)]
    return [{"system": system, "value": value, "use": use} for system, value in points if value]


def address(where: Address, use: str = "home") -> Element:
    """An Address in the United States."""
    return {
        "use": use,
        "line": [where.line],
        "city": where.city,
        "state": where.state,
        "postalCode": where.postal_code,
        "country": "US",
    }


def narrative(title: str, lines: Iterable[str] = ()) -> Element:
    """A generated Narrative: a heading and a list. The texts are our own, but escaped all the same."""
    items = "".join(f"<li>{_escaped(line)}</li>" for line in lines)
    body = f"<ul>{items}</ul>" if items else ""
    return {
        "status": "generated",
        "div": f'<div xmlns="http://www.w3.org/1999/xhtml"><p>{_escaped(title)}</p>{body}</div>',
    }


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def with_dstu2_systems(value: Any) -> Any:
    """The value with the code systems of HL7 version 2 and 3 tables named as FHIR 1.0.2 named them.

    Facts name them as R4 does: `http://terminology.hl7.org/CodeSystem/v3-RoleCode`; that was
    `http://hl7.org/fhir/v3/RoleCode`.
    """
    if isinstance(value, dict):
        return {name: with_dstu2_systems(member) for name, member in value.items()}
    if isinstance(value, list):
        return [with_dstu2_systems(member) for member in value]
    if isinstance(value, str) and value.startswith(_R4_TABLES):
        family, _, table = value.removeprefix(_R4_TABLES).partition("-")
        return f"http://hl7.org/fhir/{family}/{table}"
    return value


def without_blanks(value: Any) -> Any:
    """The value without members that are None, empty text, empty lists or empty objects: FHIR forbids those."""
    if isinstance(value, dict):
        kept = {name: without_blanks(member) for name, member in value.items()}
        return {name: member for name, member in kept.items() if member is not None and member not in ("", [], {})}
    if isinstance(value, list):
        return [member for member in map(without_blanks, value) if member is not None and member not in ("", [], {})]
    return value
