"""A provider as bare HTTP: it answers literal addresses and keeps every request it got. It shares no code with ours."""

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
    """A capability statement that offers these types, each to be read and searched."""
    interactions = [{"code": "read"}, {"code": "search-type"}]
    resources = [{"type": name, "interaction": interactions} for name in types]
    return {
        "resourceType": "CapabilityStatement",
        "fhirVersion": "4.0.1",
        "rest": [{"mode": "server", "resource": resources}],
    }


def no_results() -> dict[str, Answer]:
    """What answers the searches for results, category by category, where there are none."""
    return {SWEEP + name: http(body=bundle(total=0)) for name in CATEGORIES}


def once(fault: bytes, answer: bytes) -> Answer:
    """The fault for the first who asks, then the answer."""
    waiting = [fault]
    return lambda _request: waiting.pop() if waiting else answer


def hung_up(_request: Recorded) -> bytes:
    """No answer: the connection ends."""
    raise ConnectionResetError


class Provider:
    """`answers` maps "GET /path?query" to what is answered; what is not there is 404. Change it between requests."""

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
        """Every request so far, without the query of token requests."""
        return [self._key(request) for request in self.server.requests]

    def sent(self, key: str) -> list[Recorded]:
        """The requests of that key."""
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
    """A provider for as long as the block lasts."""
    with serving(http(500)) as server:
        yield Provider(server)
