"""`python -m benchmarks.sync_provider PORT ROWS LATENCY_MS`: a provider in a process of its own with one whole record.

It serves `sync_bodies`, a hundred rows a page, from bytes made beforehand, each answer after so many milliseconds. A
search for what changed since (`_lastUpdated`) finds nothing. `/asked` tells what was asked, and forgets it.
"""

import json
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from benchmarks import providers, sync_bodies
from development.ports import LOOPBACK

ROWS_A_PAGE = 100
_TOKENS = json.dumps({"access_token": "a" * 400, "refresh_token": "r" * 400, "expires_in": 3600}).encode()
_OTHER_CATEGORY = "vital-signs"  # of observations; every other category but this one and `_CATEGORY` has none
_CATEGORY = "laboratory"


@dataclass
class Served:
    """Answers by path, and what was asked: the path of each request, and how many answers were whole pages."""

    answers: Mapping[str, bytes]
    asked: list[str] = field(default_factory=list)
    full_pages: int = 0


def asked(origin: str) -> tuple[list[str], int]:
    """The paths that were asked since this was asked last, and how many answers were pages with rows."""
    with urllib.request.urlopen(f"{origin}/asked") as answer:
        found = json.load(answer)
    return found["paths"], found["full_pages"]


def main(port: int, rows: int, latency_ms: int) -> None:
    """Serve until killed."""
    served = Served(dict(_answers(f"http://{LOOPBACK}:{port}/r4", rows)))
    providers.Server((LOOPBACK, port), _handler(served, latency_ms / 1000)).serve_forever()


def _answers(base: str, rows: int) -> Iterator[tuple[str, bytes]]:
    yield "metadata", json.dumps(_statement()).encode()
    yield f"Patient/{sync_bodies.PATIENT_ID}", json.dumps(sync_bodies.patient()).encode()
    for number in range(sync_bodies.PRACTITIONERS):
        yield f"Practitioner/practitioner-{number}", json.dumps(sync_bodies.practitioner(number)).encode()
    for name, count in sync_bodies.shares(rows).items():
        found = sync_bodies.bodies(name, count)
        if name == "Observation":
            vitals = [body for body in found if body["category"][0]["coding"][0]["code"] == _OTHER_CATEGORY]
            yield from _pages(base, f"{name}/{_OTHER_CATEGORY}", vitals)
            labs = [body for body in found if body["category"][0]["coding"][0]["code"] == _CATEGORY]
            yield from _pages(base, f"{name}/{_CATEGORY}", labs)
        else:
            yield from _pages(base, name, found)


def _pages(base: str, path: str, found: list[sync_bodies.Body]) -> Iterator[tuple[str, bytes]]:
    """By path and number of the page; the link to the next names both."""
    for start in range(0, max(len(found), 1), ROWS_A_PAGE):
        part, number = found[start : start + ROWS_A_PAGE], start // ROWS_A_PAGE
        after = f"{base}/{path.partition('/')[0]}?of={path}&page={number + 1}"
        links = [{"relation": "next", "url": after}] if start + len(part) < len(found) else []
        entries = [{"resource": body, "search": {"mode": "match"}} for body in part]
        yield f"{path}?{number}", _bundle(len(found), links, entries)


def _bundle(total: int, links: list[dict[str, str]], entries: list[sync_bodies.Body]) -> bytes:
    content = {"resourceType": "Bundle", "type": "searchset", "total": total, "link": links, "entry": entries}
    return json.dumps(content).encode()


_NOTHING = _bundle(0, [], [])


def _statement() -> sync_bodies.Body:
    parameters = [{"name": "patient", "type": "reference"}, {"name": "_lastUpdated", "type": "date"}]
    searched = [
        {"type": name, "interaction": [{"code": "search-type"}], "searchParam": parameters}
        for name in sync_bodies.shares(0)
    ]
    read = [{"type": name, "interaction": [{"code": "read"}]} for name in ("Patient", "Practitioner")]
    rest = [{"mode": "server", "resource": [*searched, *read]}]
    return {"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": rest}


def _found(served: Served, path: str, query: Mapping[str, list[str]]) -> bytes:
    """The answer to one question below the base."""
    if path in served.answers:
        return served.answers[path]
    if "_lastUpdated" in query:
        return _NOTHING
    of = query.get("of", [path])[0]
    if of == "Observation":
        of = f"{of}/{query.get('category', [''])[0]}"
    return served.answers.get(f"{of}?{query.get('page', ['0'])[0]}", _NOTHING)


def _handler(served: Served, latency_seconds: float) -> type[BaseHTTPRequestHandler]:
    class Handler(providers.Answering, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/asked":
                self.answer(json.dumps({"paths": served.asked, "full_pages": served.full_pages}).encode())
                served.asked, served.full_pages = [], 0
                return
            time.sleep(latency_seconds)
            body = _found(served, parts.path.removeprefix("/r4/"), parse_qs(parts.query))
            served.asked.append(self.path)
            served.full_pages += b'"match"' in body[:4000]
            self.answer(body)

        def do_POST(self) -> None:
            self.received()
            time.sleep(latency_seconds)
            self.answer(_TOKENS)

    return Handler


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
