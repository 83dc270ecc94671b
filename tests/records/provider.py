"""A provider on a bare HTTP server: it answers literal addresses and records every request. It uses no product code."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.records.people import PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.wire.servers import Recorded, Server, http, serving

Answer = bytes | Callable[[Recorded], bytes]

PATIENT = f"GET /fhir/r4/Patient/{PATIENT_ID}"
ALLERGIES = f"GET /fhir/r4/AllergyIntolerance?patient={PATIENT_ID}"
METADATA = "GET /fhir/r4/metadata"
TOKEN = "POST /oauth/token"
SWEEP = f"GET /fhir/r4/Observation?patient={PATIENT_ID}&category="
CATEGORIES = (
    *("laboratory", "vital-signs", "social-history", "survey", "sdoh"),
    *("imaging", "procedure", "exam", "therapy", "activity"),
)


def statement(*types: str) -> dict[str, Any]:
    """A capability statement that offers reading and searching these types."""
    interactions = [{"code": "read"}, {"code": "search-type"}]
    resources = [{"type": name, "interaction": interactions} for name in types]
    return {
        "resourceType": "CapabilityStatement",
        "fhirVersion": "4.0.1",
        "rest": [{"mode": "server", "resource": resources}],
    }


def no_results() -> dict[str, Answer]:
    """Answers to the searches for results, one for each category, that find nothing."""
    return {SWEEP + name: http(body=bundle(total=0)) for name in CATEGORIES}


def once(fault: bytes, answer: bytes) -> Answer:
    """Answer the first request with the fault, and all later ones with the answer."""
    waiting = [fault]
    return lambda _request: waiting.pop() if waiting else answer


def hung_up(_request: Recorded) -> bytes:
    """Send no answer, and close the connection."""
    raise ConnectionResetError


class Provider:
    """`answers` maps "GET /path?query" to an answer, and may be changed between requests. Anything else gets 404."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.answers: dict[str, Answer] = {
            METADATA: http(body=statement("Patient", "AllergyIntolerance")),
            PATIENT: http(body=R4_PATIENT),
            ALLERGIES: http(body=bundle(allergy("a1"), allergy("a2"), total=2)),
        }
        server.answer = self._answer

    @property
    def base_url(self) -> str:
        return self.server.url("/fhir/r4")

    @property
    def asked(self) -> list[str]:
        """The keys of all requests so far. Those of token requests have no query."""
        return [self._key(request) for request in self.server.requests]

    def sent(self, key: str) -> list[Recorded]:
        """The requests that have this key."""
        return [request for request in self.server.requests if self._key(request) == key]

    def next_url(self, page: int) -> str:
        return f"{self.base_url}/AllergyIntolerance?page={page}"

    def _answer(self, request: Recorded) -> Iterator[bytes]:
        answer = self.answers.get(self._key(request), http(404))
        yield answer if isinstance(answer, bytes) else answer(request)

    @staticmethod
    def _key(request: Recorded) -> str:
        return f"{request.method} {request.path if 'token' in request.path else request.target}"


@contextmanager
def running() -> Iterator[Provider]:
    """Run a provider until the block ends."""
    with serving(http(500)) as server:
        yield Provider(server)
