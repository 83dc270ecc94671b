"""Store records and build their shelves without a sync, and make resources for that."""

import json
import uuid
from datetime import date, timedelta
from typing import Any

from apps.connections.models import Connection
from apps.records import shelving, subjects
from apps.records.models import Record
from apps.records.syncing.received_rows import storing
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire.fhir import Resource
from tests.records.linked import AT
from tests.records.people import PATIENT_ID, R4_PATIENT


def keep(connection: Connection, *resources: dict[str, Any]) -> None:
    """Store these resources and the Patient, and build the shelves of every subject that the connection has records of.
    As after a sync, other subjects get no shelf. If no resources are given, all shelves are built, empty."""
    rows = [
        Resource(resource["resourceType"], resource["id"], json.dumps(resource).encode())
        for resource in (R4_PATIENT, *resources)
    ]
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        storing.keep(connection, rows, run_id=uuid.uuid4(), ring=ring, at=AT)
    if not resources:
        shelving.rebuild_all(connection, at=AT)
        return
    kept = Record.objects.filter(connection=connection).order_by().values_list("resource_type", flat=True).distinct()
    wanted = dict.fromkeys(subject for name in kept for subject in subjects.shelved_for(name))
    shelving.rebuild(connection, *wanted, at=AT)


def result(number: int, *, value: float = 5.1, name: str = "Sodium", code: str = "2951-2") -> dict[str, Any]:
    """A laboratory result, dated that many days before December 31, 2024."""
    return {
        "resourceType": "Observation",
        "id": f"o{number}",
        "status": "final",
        "category": [{"coding": [{"code": "laboratory"}]}],
        "code": {"text": name, "coding": [{"system": "http://loinc.org", "code": code, "display": name}]},
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "effectiveDateTime": (date(2024, 12, 31) - timedelta(days=number)).isoformat(),
        "valueQuantity": {"value": value, "unit": "mmol/L"},
    }


def order(
    logical_id: str,
    *,
    name: str = "Lisinopril 10 MG Oral Tablet",
    code: str = "314076",
    on: str = "2024-01-05",
    status: str = "active",
) -> dict[str, Any]:
    """A prescription."""
    coding = {"system": "http://www.nlm.nih.gov/research/umls/rxnorm", "code": code}
    return {
        "resourceType": "MedicationRequest",
        "id": logical_id,
        "status": status,
        "intent": "order",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "medicationCodeableConcept": {
            "text": name,
            "coding": [coding],
        },
        "authoredOn": on,
    }
