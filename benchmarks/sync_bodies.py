"""What the provider of area `sync` serves: invented resources of several types, each about as long as real ones.

Rows divide as they do in real records: more than half of them are results and vital signs. One type's pages follow
each other, so that with several questions at a time the wall time is mostly that of the longest type.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

PATIENT_ID: Final = "bench-patient"
PRACTITIONERS: Final = 10
_DAYS: Final = 28

Body = dict[str, Any]

_TESTS: Final = (
    ("2951-2", "Sodium [Moles/volume] in Serum or Plasma", "mmol/L", 135, 145),
    ("2823-3", "Potassium [Moles/volume] in Serum or Plasma", "mmol/L", 3.5, 5.1),
    ("2160-0", "Creatinine [Mass/volume] in Serum or Plasma", "mg/dL", 0.6, 1.3),
    ("4548-4", "Hemoglobin A1c/Hemoglobin.total in Blood", "%", 4, 5.6),
    ("718-7", "Hemoglobin [Mass/volume] in Blood", "g/dL", 12, 16),
    ("2345-7", "Glucose [Mass/volume] in Serum or Plasma", "mg/dL", 70, 99),
)
_VITALS: Final = (
    ("8867-4", "Heart rate", "/min"),
    ("9279-1", "Respiratory rate", "/min"),
    ("29463-7", "Body weight", "kg"),
    ("8310-5", "Body temperature", "Cel"),
)


def bodies(resource_type: str, count: int) -> list[Body]:
    """So many resources of that type, with ids of their own."""
    make = _MAKERS[resource_type]
    return [
        {"resourceType": resource_type, **_common(resource_type, number), **make(number)} for number in range(count)
    ]


def shares(rows: int) -> dict[str, int]:
    """How many of all rows each type has."""
    found = {name: rows * share // 100 for name, share in _SHARES.items()}
    return {**found, "Observation": rows - sum(found.values()) + found["Observation"]}


def patient() -> Body:
    """Whose record it is."""
    return {"resourceType": "Patient", "id": PATIENT_ID, "name": [{"text": "Bench"}], "birthDate": "1961-02-03"}


def practitioner(number: int) -> Body:
    """One of those whom rows name."""
    name = {"family": f"Bench{number}", "given": ["Ada"], "prefix": ["Dr."]}
    return {"resourceType": "Practitioner", "id": f"practitioner-{number}", "name": [name]}


def day(number: int) -> str:
    """A day of its own for each of many numbers."""
    return f"{2024 - number // 336 % 20}-{number // _DAYS % 12 + 1:02}-{number % _DAYS + 1:02}"


def _common(resource_type: str, number: int) -> Body:
    whose = "patient" if resource_type in {"AllergyIntolerance", "Immunization"} else "subject"
    return {
        "id": f"{resource_type.lower()}-{number}",
        "meta": {"versionId": "1", "lastUpdated": "2025-03-04T05:06:07Z"},
        "identifier": [{"system": "urn:oid:1.2.3.4.5", "value": str(90_000_000 + number)}],
        whose: {"reference": f"Patient/{PATIENT_ID}", "display": "Bench"},
    }


def _who(number: int) -> Body:
    which = number % PRACTITIONERS
    return {"reference": f"Practitioner/practitioner-{which}", "display": f"Ada Bench{which}, MD"}


def _concept(system: str, code: str, display: str) -> Body:
    return {"coding": [{"system": system, "code": code, "display": display}], "text": display}


def _snomed(number: int, words: str) -> Body:
    return _concept("http://snomed.info/sct", str(90_000_000 + number % 500), f"{words} {number % 500}")


def _plain(system: str, code: str) -> Body:
    return {"coding": [{"system": f"http://terminology.hl7.org/CodeSystem/{system}", "code": code}]}


def _measured(number: int) -> Body:
    return {"status": "final", "effectiveDateTime": f"{day(number)}T08:30:00Z", "issued": f"{day(number)}T11:45:00Z"}


def _observation(number: int) -> Body:
    if number % 3 == 0:
        code, name, unit = _VITALS[number // 3 % len(_VITALS)]
        value = {"value": 60 + number % 40, "unit": unit, "system": "http://unitsofmeasure.org", "code": unit}
        return {
            **_measured(number),
            "category": [_plain("observation-category", "vital-signs")],
            "code": _concept("http://loinc.org", code, name),
            "valueQuantity": value,
            "performer": [_who(number)],
        }
    code, name, unit, low, high = _TESTS[number % len(_TESTS)]
    ucum = {"unit": unit, "system": "http://unitsofmeasure.org", "code": unit}
    return {
        **_measured(number),
        "category": [_plain("observation-category", "laboratory")],
        "code": _concept("http://loinc.org", code, name),
        "valueQuantity": {"value": round(low + (high - low) * (number % 37) / 30, 1), **ucum},
        "interpretation": [_plain("v3-ObservationInterpretation", "H" if number % 37 > 30 else "N")],
        "referenceRange": [{"low": {"value": low, **ucum}, "high": {"value": high, **ucum}}],
        "performer": [_who(number)],
    }


def _allergy(number: int) -> Body:
    return {
        "clinicalStatus": _plain("allergyintolerance-clinical", "active"),
        "verificationStatus": _plain("allergyintolerance-verification", "confirmed"),
        "code": _snomed(number, "Substance"),
        "recordedDate": day(number),
        "note": [{"text": f"Noticed at home; told at visit {number}. " * 4}],
        "reaction": [{"manifestation": [{"text": "Hives"}], "severity": "mild", "onset": "2018-11-12"}],
    }


def _condition(number: int) -> Body:
    return {
        "clinicalStatus": _plain("condition-clinical", "resolved" if number % 3 else "active"),
        "verificationStatus": _plain("condition-ver-status", "confirmed"),
        "category": [_plain("condition-category", "problem-list-item")],
        "code": _snomed(number, "Condition"),
        "onsetDateTime": day(number + 90),
        "recordedDate": day(number),
        "recorder": _who(number),
        "note": [{"text": f"Talked over at visit {number}; to be looked at again in spring. " * 2}],
    }


def _report(number: int) -> Body:
    results = [{"reference": f"Observation/observation-{number * 3 + part}"} for part in range(3)]
    return {
        **_measured(number),
        "category": [_plain("v2-0074", "LAB")],
        "code": _concept("http://loinc.org", "24323-8", "Comprehensive metabolic panel"),
        "performer": [_who(number)],
        "result": results,
    }


def _document(number: int) -> Body:
    attachment = {"contentType": "text/html", "url": f"Binary/note-{number}", "title": f"Note {number}"}
    return {
        "status": "current",
        "type": _concept("http://loinc.org", "11506-3", "Progress note"),
        "category": [_plain("us-core-documentreference-category", "clinical-note")],
        "date": f"{day(number)}T09:00:00Z",
        "author": [_who(number)],
        "content": [{"attachment": attachment}],
    }


def _visit(number: int) -> Body:
    return {
        "status": "finished",
        "class": {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB", "display": "ambulatory"},
        "type": [_snomed(number, "Visit")],
        "participant": [{"individual": _who(number)}],
        "period": {"start": f"{day(number)}T08:00:00Z", "end": f"{day(number)}T08:45:00Z"},
        "reasonCode": [{"text": f"Follow-up number {number}"}],
    }


def _vaccine(number: int) -> Body:
    return {
        "status": "completed",
        "vaccineCode": _concept("http://hl7.org/fhir/sid/cvx", str(100 + number % 50), f"Vaccine {number % 50}"),
        "occurrenceDateTime": day(number),
        "primarySource": True,
        "lotNumber": f"LOT{number}",
        "performer": [{"actor": _who(number)}],
    }


def _medicine(number: int) -> Body:
    rxnorm = "http://www.nlm.nih.gov/research/umls/rxnorm"
    return {
        "status": "completed" if number % 4 else "active",
        "intent": "order",
        "medicationCodeableConcept": _concept(rxnorm, str(300_000 + number % 200), f"Medicine {number % 200} 10 mg"),
        "authoredOn": day(number),
        "requester": _who(number),
        "dosageInstruction": [
            {
                "text": "Take one tablet by mouth twice a day",
                "timing": {"repeat": {"frequency": 2, "period": 1, "periodUnit": "d"}},
                "doseAndRate": [{"doseQuantity": {"value": 1, "unit": "tablet"}}],
            }
        ],
    }


def _procedure(number: int) -> Body:
    return {
        "status": "completed",
        "code": _snomed(number, "Procedure"),
        "performedDateTime": f"{day(number)}T10:15:00Z",
        "performer": [{"actor": _who(number)}],
        "reasonCode": [{"text": f"Reason {number}"}],
    }


# In a hundred. DSTU2 and R4 alike: measured values outnumber everything else.
_SHARES: Final[Mapping[str, int]] = {
    "Observation": 55, "AllergyIntolerance": 1, "Condition": 6, "DiagnosticReport": 9, "DocumentReference": 6,
    "Encounter": 9, "Immunization": 3, "MedicationRequest": 7, "Procedure": 4,
}  # fmt: skip
_MAKERS: Final[Mapping[str, Callable[[int], Body]]] = {
    "Observation": _observation,
    "AllergyIntolerance": _allergy,
    "Condition": _condition,
    "DiagnosticReport": _report,
    "DocumentReference": _document,
    "Encounter": _visit,
    "Immunization": _vaccine,
    "MedicationRequest": _medicine,
    "Procedure": _procedure,
}
