"""A provider on bare sockets that gives the answers it was last told to give, and correct ones to all other
requests."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.wire.servers import Recorded, Server, http, serving

PATIENT_ID = "p-7301"
PATIENT: dict[str, Any] = {
    "resourceType": "Patient",
    "id": PATIENT_ID,
    "name": [{"use": "official", "family": "Quillfeather", "given": ["Wrenna"], "period": {"start": "2001"}}],
    "birthDate": "1984-03-09",
    "gender": "female",
    "telecom": [{"system": "phone", "value": "555-0142", "use": "home", "rank": 1}],
    "address": [{"use": "home", "line": ["7 Heron Way"], "city": "Tarn", "postalCode": "97001"}],
    "communication": [{"language": {"coding": [{"code": "cy", "display": "Welsh"}]}, "preferred": True}],
    "generalPractitioner": [{"display": "Dr. Orla Vantongeren"}],
}
ALLERGY: dict[str, Any] = {
    "resourceType": "AllergyIntolerance",
    "id": "a1",
    "code": {"text": "Pteridine"},
    "patient": {"reference": f"Patient/{PATIENT_ID}"},
}
PEOPLE: dict[str, Any] = {
    "resourceType": "Bundle",
    "total": 1,
    "entry": [{"resource": PATIENT, "search": {"mode": "match"}}],
}
PROBLEM: dict[str, Any] = {
    "resourceType": "Condition",
    "id": "c1",
    "code": {"text": "Hay fever"},
    "subject": {"reference": f"Patient/{PATIENT_ID}"},
    "patient": {"reference": f"Patient/{PATIENT_ID}"},
}


def _found(resource: dict[str, Any]) -> dict[str, Any]:
    return {
        "resourceType": "Bundle",
        "total": 1,
        "link": [{"relation": "self", "url": f"/fhir/r4/{resource['resourceType']}"}],
        "entry": [{"resource": resource, "search": {"mode": "match"}}],
    }


ALLERGIES, PROBLEMS = _found(ALLERGY), _found(PROBLEM)
METADATA: dict[str, Any] = {
    "resourceType": "CapabilityStatement",
    "fhirVersion": "4.0.1",
    "software": {"name": "Enterprise", "version": "5"},
    "rest": [
        {
            "mode": "server",
            "resource": [
                {"type": "Patient", "interaction": [{"code": "read"}]},
                {"type": "AllergyIntolerance", "interaction": [{"code": "search-type"}]},
                {"type": "Condition", "interaction": [{"code": "search-type"}]},
            ],
        }
    ],
}
TOKENS: dict[str, Any] = {
    "access_token": "an-access-token",
    "token_type": "Bearer",
    "expires_in": 570,
    "refresh_token": "a-refresh-token",
    "scope": "patient/Patient.read",
    "patient": PATIENT_ID,
}
RIGHT = {
    "token": TOKENS,
    "revoke": {},
    "metadata": METADATA,
    "Patient": PATIENT,
    PATIENT_ID: PATIENT,
    "AllergyIntolerance": ALLERGIES,
    "Condition": PROBLEMS,
}


class Answering:
    """`told` maps the last part of an address to a whole answer; `given` counts the answers that were told.

    A told answer ends its connection, so that one that lies about its length spoils nothing but itself.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.told: dict[str, bytes] = {}
        self.given = 0
        self._right = {name: http(200, json.dumps(body)) for name, body in RIGHT.items()}
        server.answer = self._answer

    def _answer(self, request: Recorded) -> Iterator[bytes]:
        route = request.path.rpartition("/")[2]
        if route in self.told:
            self.given += 1
            yield self.told[route]
            raise OSError  # the server closes
        yield self._right.get(route, http(404))


@contextmanager
def running() -> Iterator[Answering]:
    """A provider for as long as the block lasts."""
    with serving(http(500)) as server:
        yield Answering(server)
