"""`python -m benchmarks.counting_provider PORT ROWS LATENCY_MS`: a provider that knows what it was asked.

It serves one patient with so many rows of several types, a multiple of ten, half of them of one, a hundred on a page,
from bytes made beforehand. `told` empties its list of requests.
"""

import json
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from benchmarks import providers
from benchmarks.sync_bodies import PATIENT_ID
from development.ports import LOOPBACK

_ROWS_A_PAGE = 100
# A type and its share of all rows, in tenths. None of them needs more than one search.
SHARES: Mapping[str, int] = {
    "DiagnosticReport": 5, "Condition": 1, "Encounter": 1, "Procedure": 1, "Immunization": 1, "AllergyIntolerance": 1,
}  # fmt: skip
_PATIENT = json.dumps({"resourceType": "Patient", "id": PATIENT_ID, "name": [{"text": "Bench"}]}).encode()


def told(origin: str) -> list[str]:
    """What was asked since the last call: path and query of each request, as it came."""
    with urllib.request.urlopen(f"{origin}/told", timeout=10) as answer:
        asked: list[str] = json.load(answer)
    return asked


def type_of(address: str) -> str:
    """The type that was searched; empty where it was no search."""
    name = urlsplit(address).path.rpartition("/")[2]
    return name if name in SHARES else ""


def main(port: int, rows: int, latency_ms: int) -> None:
    """Serve until killed."""
    pages = {name: _pages(port, name, rows * share // 10) for name, share in SHARES.items()}
    providers.Server((LOOPBACK, port), _handler(pages, latency_ms / 1000)).serve_forever()


def _pages(port: int, name: str, rows: int) -> list[bytes]:
    starts = range(0, max(rows, 1), _ROWS_A_PAGE)
    return [_page(port, name, range(start, min(start + _ROWS_A_PAGE, rows)), rows) for start in starts]


def _page(port: int, name: str, numbers: range, rows: int) -> bytes:
    after = f"http://{LOOPBACK}:{port}/r4/{name}?page={numbers.start // _ROWS_A_PAGE + 1}"
    links = [{"relation": "next", "url": after}] if numbers.stop < rows else []
    entries = [{"resource": _row(name, number)} for number in numbers]
    bundle = {"resourceType": "Bundle", "type": "searchset", "total": rows, "link": links, "entry": entries}
    return json.dumps(bundle).encode()


def _row(name: str, number: int) -> dict[str, object]:
    return {
        "resourceType": name,
        "id": f"{name.lower()}-{number}",
        "meta": {"versionId": "1", "lastUpdated": "2026-03-04T05:06:07Z"},
        "status": "final",
        "code": {"text": f"Invented entry {number}"},
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "effectiveDateTime": "2019-03-04",
        "conclusion": f"Noticed at home; told at visit {number}. " * 8,
    }


def _statement() -> bytes:
    interactions = [{"code": "read"}, {"code": "search-type"}]
    resources = [{"type": name, "interaction": interactions} for name in ("Patient", *SHARES)]
    rest = [{"mode": "server", "resource": resources}]
    return json.dumps({"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": rest}).encode()


def _handler(pages: Mapping[str, list[bytes]], latency_seconds: float) -> type[BaseHTTPRequestHandler]:
    statement = _statement()
    asked: list[str] = []
    lock = threading.Lock()

    class Handler(providers.Answering, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/told":
                with lock:
                    answer = json.dumps(asked).encode()
                    asked.clear()
                self.answer(answer)
                return
            with lock:
                asked.append(self.path)
            time.sleep(latency_seconds)
            self.answer(self._found())

        def _found(self) -> bytes:
            name = type_of(self.path)
            if name:
                return pages[name][int(parse_qs(urlsplit(self.path).query).get("page", ["0"])[0])]
            return statement if self.path.endswith("/metadata") else _PATIENT

    return Handler


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
