"""A user whose account has records of two people: her own, and her child's."""

from typing import Any

from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection
from tests.records.people import PATIENT_ID

HERS, CHILDS = "Wrenna Quillfeather", "Perrin Quillfeather"


def is_of(connection: Connection, name: str, born: str) -> None:
    """Make this the record of the person with this name and birth date."""
    connection.sealed_person = candidates.seal_person(connection, Candidate(PATIENT_ID, name, born))
    connection.save()


def medicine(logical_id: str = "m1") -> dict[str, Any]:
    """A prescription that both of them have."""
    coding = {"system": "http://www.nlm.nih.gov/research/umls/rxnorm", "code": "314076", "display": "Lisinopril"}
    return {
        "resourceType": "MedicationRequest",
        "id": logical_id,
        "status": "active",
        "intent": "order",
        "medicationCodeableConcept": {"text": "Lisinopril", "coding": [coding]},
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "authoredOn": "2024-01-05",
    }
