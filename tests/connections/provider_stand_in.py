"""A provider of interface A on a bare HTTP server: literal answers, and every request recorded. It uses no product
code."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.wire.servers import Recorded, Server, http, serving

CODE = "code-canary-5a1f"
ACCESS = "access-canary-77c0"
REFRESH = "refresh-canary-e391"
SECRET = "secret-canary-bb42"
PERSON = {
    "resourceType": "Patient",
    "id": "p-7301",
    "name": [{"use": "official", "family": "Quillfeather", "given": ["Wrenna"]}],
    "birthDate": "1984-03-09",
}
CHILD = {
    "resourceType": "Patient",
    "id": "p-7302",
    "name": [{"use": "usual", "family": ["Quillfeather"], "given": ["Tam"]}],
    "birthDate": "2016-11-02",
}

READING = f"/fhir/r4/Patient/{PERSON['id']}"

Answer = bytes | Callable[[Recorded], Iterator[bytes]]


def tokens(**fields: Any) -> bytes:
    """A token answer as the specification promises it, and no more."""
    return http(body={"access_token": ACCESS, "refresh_token": REFRESH, **fields})


def bundle(*people: dict[str, Any]) -> bytes:
    """A searchset of people."""
    entries = [{"resource": person} for person in people]
    return http(body={"resourceType": "Bundle", "type": "searchset", "total": len(people), "entry": entries})


def dribble(_request: Recorded) -> Iterator[bytes]:
    """One byte at a time, for longer than anybody waits."""
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
    for _ in range(400):
        yield b" "
        time.sleep(0.05)


class StandIn:
    """Change `token`, `patient`, `reading` and `revoke` between requests."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.token: Answer = tokens()
        self.patient: Answer = http(body=PERSON)
        self.reading: Answer = http(404)  # of the patient, by id
        self.revoke: Answer = http()
        server.answer = self._answer

    @property
    def token_requests(self) -> list[Recorded]:
        return self._to("/auth/token")

    @property
    def patient_requests(self) -> list[Recorded]:
        return self._to("/fhir/r4/Patient")

    @property
    def revocations(self) -> list[Recorded]:
        return self._to("/auth/revoke")

    @property
    def readings(self) -> list[Recorded]:
        return self._to(READING)

    def _to(self, path: str) -> list[Recorded]:
        return [request for request in self.server.requests if request.path == path]

    def _answer(self, request: Recorded) -> Iterator[bytes]:
        answers = {"/auth/token": self.token, "/auth/revoke": self.revoke, READING: self.reading}
        answer = answers.get(request.path, self.patient if request.path.endswith("/Patient") else http(404))
        if isinstance(answer, bytes):
            yield answer
        else:
            yield from answer(request)


@contextmanager
def running() -> Iterator[StandIn]:
    """A provider for as long as the block lasts."""
    with serving(http(500)) as server:
        yield StandIn(server)
