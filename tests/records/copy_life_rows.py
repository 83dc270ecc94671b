"""The resources of Wrenna that a provider of the lives of copies holds, in either FHIR version: small, and each with a
name that no other has. `people` has her own."""

from datetime import date, datetime, timedelta
from typing import Any

from tests.records.people import PATIENT_ID

Key = tuple[str, str]

# In the order in which the number of an event chooses among them. What the other version calls by another name is
# beside it.
LISTED = (
    "Observation", "AllergyIntolerance", "Condition", "MedicationRequest", "Encounter", "Device", "DiagnosticReport",
    "Procedure",
)  # fmt: skip
_OF_DSTU2 = {"MedicationRequest": "MedicationOrder"}
CATEGORIES = ("laboratory", "vital-signs", "social-history")
REFERRED = ("Practitioner", "Medication", "Organization")
_CODES = (("2951-2", "Sodium"), ("8867-4", "Heart rate"), ("72166-2", "Tobacco smoking status"))
_USUAL = {
    "Observation": "final", "MedicationRequest": "active", "MedicationOrder": "active", "Encounter": "finished",
    "Device": "active", "DiagnosticReport": "final", "Procedure": "completed",
}  # fmt: skip


def types(version: str) -> tuple[str, ...]:
    """The types that are searched for in this version."""
    return tuple(_OF_DSTU2.get(name, name) if version == "dstu2" else name for name in LISTED)


def key(resource: dict[str, Any]) -> Key:
    return resource["resourceType"], resource["id"]


def stamped(resource: dict[str, Any], *, at: datetime, version: int) -> dict[str, Any]:
    """The same, changed then."""
    meta = {"versionId": str(version), "lastUpdated": at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"}
    return {"resourceType": resource["resourceType"], "id": resource["id"], "meta": meta} | {
        name: value for name, value in resource.items() if name not in {"resourceType", "id", "meta"}
    }


def made(resource_type: str, number: int, *, name: str, version: str, patient_id: str = PATIENT_ID) -> dict[str, Any]:
    """One of the few of this type that a life knows."""
    few = 3 if resource_type == "Device" else 8
    told = _MADE[resource_type](number, name, version, {"reference": f"Patient/{patient_id}"})
    return {"resourceType": resource_type, "id": f"{resource_type.lower()}{number % few}", **told}


def _result(number: int, name: str, version: str, about: Any) -> dict[str, Any]:
    code, display = _CODES[number % len(_CODES)]
    told = {"text": name, "coding": [{"system": "http://loinc.org", "code": code, "display": display}]}
    return {
        "status": "final",
        "category": _category(CATEGORIES[number % 3], version),
        "code": told,
        "subject": about,
        "effectiveDateTime": _day(number),
        "valueQuantity": {"value": number, "unit": "mmol/L"},
        "performer": [_doctor(number)],
        "device": _meter(number),
    }


def _allergy(number: int, name: str, version: str, about: Any) -> dict[str, Any]:
    told = {"patient": about, "recorder": _doctor(number)}
    if version == "dstu2":
        return {"substance": {"text": name}, **told}
    return {"code": {"text": name}, **told, "onsetAge": {"value": 9, "unit": "a"}}


def _condition(number: int, name: str, version: str, about: Any) -> dict[str, Any]:
    onset = "onsetQuantity" if version == "dstu2" else "onsetAge"
    age = {"value": number % 30, "unit": "a", "code": "a"}
    return {"code": {"text": name}, **_of(about, version), "asserter": _doctor(number), onset: age}


def _order(number: int, name: str, version: str, about: Any) -> dict[str, Any]:
    """Its own name is that of the medicine, so this name is beside it."""
    written: dict[str, Any] = {"dateWritten": _day(number), "note": name}
    if version == "r4":
        written = {"intent": "order", "authoredOn": _day(number), "note": [{"text": name}]}
    medicine = {"reference": f"Medication/m{number % 3}"}
    return {"status": "active", "medicationReference": medicine, **_of(about, version), **written}


def _visit(number: int, name: str, version: str, about: Any) -> dict[str, Any]:
    told = {"status": "finished", "type": [{"text": name}], "period": {"start": _day(number)}}
    return told | _of(about, version) | {"serviceProvider": _clinic(number)}


def _device(number: int, name: str, version: str, about: Any) -> dict[str, Any]:
    return {"status": "active", "type": {"text": name}, "patient": about, "owner": _clinic(number)}


def _report(number: int, name: str, version: str, about: Any) -> dict[str, Any]:
    """Of a kind that may carry grave news."""
    results = [{"reference": f"Observation/observation{(number + back) % 8}"} for back in range(3)]
    told = {"status": "final", "category": _category("LAB", version), "code": {"text": f"Biopsy {name}"}}
    return told | {"subject": about, "effectiveDateTime": _day(number), "result": results}


def _procedure(number: int, name: str, version: str, about: Any) -> dict[str, Any]:
    told = {"status": "completed", "code": {"text": name}, "subject": about, "performedDateTime": _day(number)}
    return told | {"focalDevice": [{"manipulated": _meter(number)}]}


_MADE = {
    "Observation": _result, "AllergyIntolerance": _allergy, "Condition": _condition, "MedicationRequest": _order,
    "MedicationOrder": _order, "Encounter": _visit, "Device": _device, "DiagnosticReport": _report,
    "Procedure": _procedure,
}  # fmt: skip


def moved(resource: dict[str, Any], *, version: str) -> dict[str, Any]:
    """A result in the next category."""
    now = next(name for name in CATEGORIES if name in str(resource["category"]))
    following = CATEGORIES[(CATEGORIES.index(now) + 1) % len(CATEGORIES)]
    return resource | {"category": _category(following, version)}


def mistaken(resource: dict[str, Any]) -> dict[str, Any]:
    """The same, marked as recorded by mistake; or, if it is so marked, no longer."""
    name = "verificationStatus" if resource["resourceType"] in {"Condition", "AllergyIntolerance"} else "status"
    name = "status" if "substance" in resource else name
    rest = {part: value for part, value in resource.items() if part != name}
    if "entered-in-error" in str(resource.get(name)):
        usual = _USUAL.get(resource["resourceType"])
        return rest | ({name: usual} if usual else {})
    is_coded = name == "verificationStatus" and not (resource["resourceType"] == "Condition" and "patient" in resource)
    return rest | {name: {"coding": [{"code": "entered-in-error"}]} if is_coded else "entered-in-error"}


def named(resource: dict[str, Any], name: str) -> dict[str, Any]:
    """The same with another name."""
    found = {**resource}
    for part in ("code", "substance", "type"):
        if part in found:
            told = {"text": name}
            found[part] = [told] if isinstance(found[part], list) else {**found[part], **told}
    if "note" in found:
        found["note"] = name if isinstance(found["note"], str) else [{"text": name}]
    return found


def name_of(resource: dict[str, Any]) -> str:
    """What `named` gave it."""
    told = next(resource[part] for part in ("substance", "code", "type") if part in resource)
    return str((told[0] if isinstance(told, list) else told)["text"]).split()[-1]


def referred(resource_type: str, number: int, *, name: str, version: str) -> dict[str, Any]:
    """One that rows refer to."""
    rest: dict[str, Any] = {"name": name}
    if resource_type == "Practitioner":
        rest = {"name": {"family": [name]} if version == "dstu2" else [{"family": name}]}
    elif resource_type == "Medication":
        rest = {"code": {"text": name}}
    letter = {"Practitioner": "p", "Medication": "m", "Organization": "c"}[resource_type]
    return {"resourceType": resource_type, "id": f"{letter}{number}", **rest}


def _day(number: int) -> str:
    return (date(2025, 6, 1) + timedelta(days=number)).isoformat()


def _of(about: Any, version: str) -> dict[str, Any]:
    return {"patient" if version == "dstu2" else "subject": about}


def _doctor(number: int) -> dict[str, str]:
    return {"reference": f"Practitioner/p{number % 3}"}


def _clinic(number: int) -> dict[str, str]:
    return {"reference": f"Organization/c{number % 2}"}


def _meter(number: int) -> dict[str, str]:
    return {"reference": f"Device/device{number % 3}"}


def _category(code: str, version: str) -> Any:
    told = {"coding": [{"code": code}]}
    return told if version == "dstu2" else [told]
