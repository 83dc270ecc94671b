"""`python -m benchmarks.stub_provider PORT ROWS LATENCY_MS`: a provider in a process of its own, that only waits.

It answers every token request with new tokens, and serves one patient with so many allergies, a hundred on a page, from
bytes made beforehand. It ends with whoever started it (`starting`).
"""

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from config import env
from development import processes
from development.ports import LOOPBACK, free_port

PATIENT_ID = "bench-patient"
ROWS_A_PAGE = 100
_STARTS_WITHIN_SECONDS = 20
_TOKENS = json.dumps({"access_token": "a" * 400, "refresh_token": "r" * 400, "expires_in": 3600}).encode()
_PATIENT = json.dumps({"resourceType": "Patient", "id": PATIENT_ID, "name": [{"text": "Bench"}]}).encode()
_METADATA = json.dumps({"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": []}).encode()


@contextmanager
def starting(*, rows: int, latency_ms: int) -> Iterator[str]:
    """The origin of a provider that runs as long as the block."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.stub_provider", str(port), str(rows), str(latency_ms)]
    process = processes.start(command, environment=os.environ, folder=env.ROOT)
    try:
        wait_for(port)
        yield f"http://{LOOPBACK}:{port}"
    finally:
        processes.stop(process)


def wait_for(port: int) -> None:
    """Until something listens there."""
    deadline = time.monotonic() + _STARTS_WITHIN_SECONDS
    while True:
        try:
            socket.create_connection((LOOPBACK, port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def main(port: int, rows: int, latency_ms: int) -> None:
    """Serve until killed."""
    server = ThreadingHTTPServer((LOOPBACK, port), _handler(_pages(port, rows), latency_ms / 1000))
    server.daemon_threads = True
    server.serve_forever()


def _pages(port: int, rows: int) -> list[bytes]:
    starts = range(0, max(rows, 1), ROWS_A_PAGE)
    return [_page(port, start, min(ROWS_A_PAGE, rows - start), rows) for start in starts]


def _page(port: int, start: int, length: int, rows: int) -> bytes:
    after = f"http://{LOOPBACK}:{port}/r4/AllergyIntolerance?page={start // ROWS_A_PAGE + 1}"
    links = [{"relation": "next", "url": after}] if start + length < rows else []
    entries = [{"resource": _allergy(number)} for number in range(start, start + length)]
    bundle = {"resourceType": "Bundle", "type": "searchset", "total": rows, "link": links, "entry": entries}
    return json.dumps(bundle).encode()


def _allergy(number: int) -> dict[str, object]:
    """About as long as real ones: eight hundred bytes."""
    coding = [{"system": "http://snomed.info/sct", "code": str(90_000_000 + number), "display": f"Substance {number}"}]
    return {
        "resourceType": "AllergyIntolerance",
        "id": f"allergy-{number}",
        "meta": {"versionId": "1", "lastUpdated": "2026-03-04T05:06:07Z"},
        "clinicalStatus": {"coding": [{"code": "active", "display": "Active"}]},
        "verificationStatus": {"coding": [{"code": "confirmed", "display": "Confirmed"}]},
        "code": {"coding": coding, "text": f"Substance {number}"},
        "patient": {"reference": f"Patient/{PATIENT_ID}"},
        "recordedDate": "2019-03-04",
        "note": [{"text": f"Noticed at home; told at visit {number}. " * 4}],
        "reaction": [{"manifestation": [{"text": "Hives"}], "severity": "mild", "onset": "2018-11-12"}],
    }


def _handler(pages: list[bytes], latency_seconds: float) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept
        wbufsize = -1  # headers and body leave together

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path.endswith("/metadata"):
                self._answer(_METADATA)
            elif "/Patient" in parts.path:
                self._answer(_PATIENT)
            else:
                self._answer(pages[int(parse_qs(parts.query).get("page", ["0"])[0])])

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self._answer(_TOKENS)

        def log_message(self, *_words: object) -> None:
            """Say nothing: it would be measured."""

        def _answer(self, body: bytes) -> None:
            time.sleep(latency_seconds)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
