"""The search index of a resource: tokens, and the interval of its date. Works on both versions' elements.

Tokens are strings: `code=H` and `code=system|H` for codings, `code=system|` for any code of a system, `code=|H` for one
without a system, `name~alder` for the words of strings, `target=Type/id` and `medication=Type/id` for references.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.sandbox.fhir import dates

Body = dict[str, Any]

_TOKENS = {
    "category": ("category", "class"),
    "code": ("code", "vaccineCode", "medicationCodeableConcept", "substance"),
    "type": ("type",),
    "status": ("status",),
    "clinical-status": ("clinicalStatus",),
    "lifecycle-status": ("lifecycleStatus",),
    "intent": ("intent",),
    "specialty": ("specialty",),
    "gender": ("gender",),
    "identifier": ("identifier",),
}  # name in the index: elements that hold it
_DATES = {
    "AllergyIntolerance": ("recordedDate",),
    "CarePlan": ("period",),
    "Condition": ("onsetDateTime", "onsetPeriod"),
    "DiagnosticReport": ("effectiveDateTime", "effectivePeriod", "issued"),
    "DocumentReference": ("date", "created", "indexed"),
    "Encounter": ("period",),
    "Goal": ("startDate",),
    "Immunization": ("occurrenceDateTime", "date"),
    "MedicationOrder": ("dateWritten",),
    "MedicationRequest": ("authoredOn",),
    "Observation": ("effectiveDateTime", "effectivePeriod", "effectiveInstant", "issued"),
    "Patient": ("birthDate",),
    "Procedure": ("performedDateTime", "performedPeriod"),
    "ServiceRequest": ("authoredOn",),
}  # resource type: elements its one date parameter looks at, the first that is there
_LONGEST_TOKEN = 500  # longer ones, and those with a NUL, cannot be indexed and nobody searches for them
_PATIENT_ELEMENTS = ("subject", "patient", "beneficiary")


@dataclass(frozen=True)
class Index:
    """The index entries of one resource."""

    tokens: list[str]
    dated_from: datetime | None
    dated_until: datetime | None
    last_updated_at: datetime | None


def index(body: Body) -> Index:
    """Everything that searches need. Elements of an unexpected shape are skipped, never refused."""
    tokens = {token for name, elements in _TOKENS.items() for token in _coded(name, body, elements)}
    tokens.update(_words(body))
    tokens.update(_references(body))
    dated_from, dated_until = _dated(body)
    meta = body.get("meta")
    updated = _stretch(meta.get("lastUpdated")) if isinstance(meta, dict) else None
    kept = sorted(token for token in tokens if len(token) <= _LONGEST_TOKEN and "\0" not in token)
    return Index(kept, dated_from, dated_until, updated[0] if updated else None)


def patient_of(body: Body) -> str | None:
    """The reference to a resource's patient ("Patient/1", "urn:uuid:…"), or None."""
    for element in _PATIENT_ELEMENTS:
        value = body.get(element)
        if isinstance(value, dict) and isinstance(value.get("reference"), str):
            reference: str = value["reference"]
            if "Patient/" in reference or reference.startswith("urn:"):
                return reference
    return None


def _coded(name: str, body: Body, elements: tuple[str, ...]) -> Iterator[str]:
    for element in elements:
        for value in _listed(body.get(element)):
            yield from _tokens(name, value)


def _tokens(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield f"{name}={value}"
        yield f"{name}=|{value}"
    elif isinstance(value, dict) and "coding" in value:
        for coding in _listed(value["coding"]):
            yield from _tokens(name, coding)
    elif isinstance(value, dict):
        code, system = value.get("code", value.get("value")), value.get("system") or ""
        if isinstance(code, str):
            yield f"{name}={code}"
            yield f"{name}={system}|{code}"
            yield f"{name}={system}|"


def _words(body: Body) -> Iterator[str]:
    """What string searches match: the whole name, and each of its words."""
    for name in _listed(body.get("name")):
        yield from _name(name)
    for address in _listed(body.get("address")):
        if isinstance(address, dict):
            yield from _address(address)
    practitioner = body.get("practitioner")
    if isinstance(practitioner, dict):
        yield from (f"practitioner.name~{word}" for word in str(practitioner.get("display", "")).lower().split())


def _name(name: Any) -> Iterator[str]:
    if isinstance(name, str):
        yield from (f"name~{word}" for word in (name.lower(), *name.lower().split()))
    elif isinstance(name, dict):
        for part in ("family", "given"):
            for value in _listed(name.get(part)):
                yield f"{part}~{str(value).lower()}"
                yield f"name~{str(value).lower()}"


def _address(address: Body) -> Iterator[str]:
    for part, name in (("city", "address-city"), ("state", "address-state"), ("postalCode", "address-postalcode")):
        if part in address:
            yield f"{name}~{str(address[part]).lower()}"
            yield f"address~{str(address[part]).lower()}"
    yield from (f"address~{str(line).lower()}" for line in _listed(address.get("line")))


def _references(body: Body) -> Iterator[str]:
    for element, name in (("target", "target"), ("medicationReference", "medication")):
        for value in _listed(body.get(element)):
            if isinstance(value, dict) and isinstance(value.get("reference"), str):
                yield f"{name}={value['reference']}"


def _dated(body: Body) -> tuple[datetime | None, datetime | None]:
    due = _due(body)
    if due is not None:
        return due
    for element in _DATES.get(str(body.get("resourceType")), ()):
        value = body.get(element)
        if isinstance(value, dict):
            start, end = _stretch(value.get("start")), _stretch(value.get("end"))
            if start or end:
                return (start[0] if start else None), (end[1] if end else None)
        known = _stretch(value)
        if known:
            return known
    return None, None


def _due(body: Body) -> tuple[datetime, datetime] | None:
    """An R4 goal is searched by its due date."""
    targets = body.get("target") if body.get("resourceType") == "Goal" else None
    due = [_stretch(target.get("dueDate")) for target in _listed(targets) if isinstance(target, dict)]
    return next((known for known in due if known), None)


def _stretch(value: Any) -> tuple[datetime, datetime] | None:
    try:
        return dates.stretch(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
