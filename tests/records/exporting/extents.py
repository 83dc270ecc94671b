"""A record with something of every subject that a patient summary has, and ways to share parts of it."""

import json
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from apps.records.exporting.ips.sections import SECTIONS
from apps.records.exporting.portions import WHOLE, Portion
from apps.records.presenters.entry import Entry
from apps.records.subjects import Subject
from tests.records.exporting import guide
from tests.records.exporting.summarized import Summarized

SUBJECTS: Final = tuple(dict.fromkeys(subject for section in SECTIONS for subject in section.subjects))


@dataclass(frozen=True)
class Discreet(Portion):
    """Keeps back what is called so, as it would what is felt to be sensitive."""

    def holds(self, subject: Subject, entry: Entry) -> bool:
        return "Hushed" not in repr(entry) and super().holds(subject, entry)


OTHERS: Final = replace(WHOLE, is_for_others=True)
DISCREET = Discreet(WHOLE.subjects, is_for_others=True)


def only(*subjects: Subject, **elements: Any) -> Portion:
    """Of these subjects alone, for others."""
    return Portion(frozenset(subject.key for subject in subjects), **{"is_for_others": True, **elements})


def observed(logical_id: str, category: str, name: str, **elements: Any) -> dict[str, Any]:
    """An Observation of this category."""
    return {
        "resourceType": "Observation", "id": logical_id, "status": "final", "code": {"text": name},
        "category": [{"coding": [{"code": category}]}], "effectiveDateTime": "2026-01-02", "valueString": "v",
        **elements,
    }  # fmt: skip


def coded(code: str) -> dict[str, Any]:
    """A concept with this code of LOINC."""
    return {"coding": [{"system": "http://loinc.org", "code": code}], "text": "Canary"}


def named(kind: str, logical_id: str) -> dict[str, Any]:
    """A reference that says what it refers to."""
    return {"reference": f"{kind}/{logical_id}", "display": f"Canary {kind.lower()}"}


def resources(version: str) -> dict[str, list[dict[str, Any]]]:
    """Some of each subject that a summary has, called by its key and referring to others."""
    is_r4 = version == "r4"
    order = "MedicationRequest" if is_r4 else "MedicationOrder"
    why = {"reasonReference": [named("Condition", "c1")], "statusReasonReference": [named("Condition", "c1")]}
    seen = [named("Observation", "o1")]
    inside = [observed("in", "vital-signs", "Canary of vitals"), observed("on", "social-history", "Canary of history")]
    return {
        "medicines": [
            {"resourceType": order, "id": "m1", "status": "active", **why,
             "medicationCodeableConcept": {"text": "Canary of medicines"}},
        ],
        "allergies": [
            {"resourceType": "AllergyIntolerance", "id": "a1",
             "code" if is_r4 else "substance": {"text": "Canary of allergies"}},
        ],
        "conditions": [
            {"resourceType": "Condition", "id": f"c{number}", "code": {"text": "Canary of conditions"},
             "clinicalStatus": status}
            for number, status in enumerate(("active", "resolved"), start=1)
        ],
        "results": [
            observed("o1", "laboratory", "Canary of results"),
            observed("o2", "laboratory", "", code={**coded("82810-3"), "text": "Canary of results"}),
            {"resourceType": "DiagnosticReport", "id": "r1", "status": "final", "code": {"text": "Canary of results"},
             "result": [named("Observation", each) for each in ("o1", "v1", "s1")], "contained": inside},
        ],
        "vitals": [observed("v1", "vital-signs", "Canary of vitals")],
        "vaccines": [
            {"resourceType": "Immunization", "id": "i1", "status": "completed", "date": "2024-02-03",
             "vaccineCode": {"text": "Canary of vaccines"}},
        ],
        "procedures": [
            {"resourceType": "Procedure", "id": "p1", "status": "completed", "code": {"text": "Canary of procedures"},
             "performedDateTime": "2025-03-04", "complicationDetail": [named("Condition", "c1")],
             "focalDevice": [{"manipulated": {"reference": "Device/d1"}}], "report": [named("DiagnosticReport", "r1")]},
        ],
        "plans": [
            {"resourceType": "CarePlan", "id": "cp1", "status": "active", "description": "Canary of plans",
             "addresses": [named("Condition", "c1")], "goal": [named("Goal", "g1")],
             "activity": [
                 {"reference": named(order, "m1")},
                 {"outcomeReference": seen, "actionResulting": seen},
                 {"detail": {"description": "Canary of plans", **why}},
             ]},
        ],
        "devices": [{"resourceType": "Device", "id": "d1", "type": {"text": "Canary of devices"}, "status": "active"}],
        "history": [observed("s1", "social-history", "Canary of history")],
        "documents": [
            {"resourceType": "DocumentReference", "id": "d1", "status": "current", "type": coded("42348-3"),
             "description": "Canary of documents", "content": [{"attachment": {"contentType": "text/plain"}}]},
        ],
        "other": [{"resourceType": "Flag", "id": "f1", "status": "active", "code": {"text": "Canary of other"}}],
    }  # fmt: skip


def told_by(found: Summarized) -> set[str]:
    """The subjects whose canaries are anywhere in what leaves."""
    written = found.written.decode()
    return {subject.key for subject in SUBJECTS if f"Canary of {subject.key}" in written}


def codes(found: Summarized) -> list[str]:
    """Which sections it has."""
    return [each["code"]["coding"][0]["code"] for each in found.composition["section"]]


def why(found: Summarized, loinc: str) -> str:
    """Why a section is empty."""
    return str(found.section(loinc)["emptyReason"]["coding"][0]["code"])


def broken(found: Summarized) -> list[str]:
    """Rules that it breaks."""
    return guide.broken(json.loads(found.written, parse_float=Decimal))
