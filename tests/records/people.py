"""An invented patient as two servers would send her. Every value is a canary: it may appear on pages alone."""

from typing import Any

PATIENT_ID = "p-7301"

R4_PATIENT: dict[str, Any] = {
    "resourceType": "Patient",
    "id": PATIENT_ID,
    "name": [
        {"use": "nickname", "given": ["Wren"]},
        {"use": "official", "family": "Quillfeather", "given": ["Wrenna", "Ilse"], "prefix": ["Dr."]},
    ],
    "birthDate": "1984-03-09",
    "gender": "female",
    "telecom": [
        {"system": "phone", "value": "555-0142", "use": "home"},
        {"system": "email", "value": "wren@quill.invalid"},
    ],
    "address": [
        {"use": "home", "line": ["7 Heron Way", "Flat 2"], "city": "Tarn", "state": "OR", "postalCode": "97001"}
    ],
    "communication": [{"language": {"coding": [{"code": "cy", "display": "Welsh"}]}, "preferred": True}],
    "generalPractitioner": [{"display": "Dr. Orla Vantongeren"}, {"reference": "Practitioner/9"}],
}

DSTU2_PATIENT: dict[str, Any] = {
    **{key: value for key, value in R4_PATIENT.items() if key not in {"name", "generalPractitioner"}},
    "name": [
        {"use": "nickname", "given": ["Wren"]},
        {"use": "official", "family": ["Quillfeather"], "given": ["Wrenna", "Ilse"], "prefix": ["Dr."]},
    ],
    "careProvider": [{"display": "Dr. Orla Vantongeren"}],
}

CANARIES = (
    "Quillfeather", "Wrenna", "1984-03-09", "March 9, 1984", "555-0142", "wren@quill.invalid", "Heron Way",
    "Vantongeren", "Pteridine",
)  # fmt: skip


def allergy(logical_id: str, *, patient_id: str | None = PATIENT_ID, **elements: Any) -> dict[str, Any]:
    """An allergy, of this patient unless another id, or none, is given."""
    about = {"patient": {"reference": f"Patient/{patient_id}"}} if patient_id else {}
    return {
        "resourceType": "AllergyIntolerance",
        "id": logical_id,
        "code": {"text": "Pteridine"},
        **about,
        **elements,
    }


def bundle(*resources: dict[str, Any], total: int | None = None, next_url: str | None = None) -> dict[str, Any]:
    """A Bundle of type searchset: one page of a search."""
    links = [{"relation": "next", "url": next_url}] if next_url else []
    counted = {} if total is None else {"total": total}
    entries = [{"resource": resource} for resource in resources]
    return {"resourceType": "Bundle", "type": "searchset", **counted, "link": links, "entry": entries}
