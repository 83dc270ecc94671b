"""`python -m benchmarks.bulk_provider PORT ROWS`: a provider in a process of its own that exports one group.

It gives tokens, is done at once, and serves so many resources, ten thousand a file, from bytes made beforehand; parts
of a file are understood. `told` says what was asked of its files, and empties its list.
"""

import json
import re
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import ClassVar

from benchmarks import providers
from development.ports import LOOPBACK

GROUP = "everyone"
ROWS_A_FILE = 10_000
_TYPES = ("Observation", "Condition", "Encounter", "Procedure")
_RANGE = re.compile(r"bytes=([0-9]+)-")
_TOKEN = json.dumps({"access_token": "t" * 400, "token_type": "Bearer", "expires_in": 570})
_FILE = "/r4/files/"


def told(origin: str) -> list[tuple[str, int]]:
    """Each file that was asked for since the last call, and from which byte on."""
    with urllib.request.urlopen(f"{origin}/told", timeout=10) as answer:
        return [(name, start) for name, start in json.load(answer)]


def listed(origin: str) -> list[str]:
    """The addresses of the files, as the export names them."""
    with urllib.request.urlopen(f"{origin}/r4/jobs/1", timeout=10) as answer:
        return [file["url"] for file in json.load(answer)["output"]]


def main(port: int, rows: int) -> None:
    """Serve until killed."""
    _Handler.origin, _Handler.files = f"http://{LOOPBACK}:{port}", dict(_files(rows))
    _Handler.manifest = _manifest(_Handler.origin, _Handler.files)
    providers.Server((LOOPBACK, port), _Handler).serve_forever()


def _files(rows: int) -> Iterator[tuple[str, bytes]]:
    for number, start in enumerate(range(0, rows, ROWS_A_FILE)):
        kind = _TYPES[number % len(_TYPES)]
        lines = (_row(kind, place) for place in range(start, min(start + ROWS_A_FILE, rows)))
        yield f"{kind}-{number}", b"".join(lines)


def _row(kind: str, place: int) -> bytes:
    """About as long as real ones: eight hundred bytes."""
    coding = [{"system": "http://loinc.org", "code": f"{place % 90_000}-1", "display": f"Measurement {place}"}]
    body = {
        "resourceType": kind,
        "id": f"row-{place}",
        "meta": {"versionId": "1", "lastUpdated": "2026-03-04T05:06:07Z"},
        "status": "final",
        "code": {"coding": coding, "text": f"Measurement {place}"},
        "subject": {"reference": f"Patient/patient-{place % 500}"},
        "effectiveDateTime": "2019-03-04T10:00:00Z",
        "note": [{"text": f"Noticed at home; told at visit {place}. " * 10}],
    }
    return json.dumps(body).encode() + b"\n"


def _manifest(origin: str, files: Mapping[str, bytes]) -> bytes:
    output = [
        {"type": name.partition("-")[0], "url": f"{origin}{_FILE}{name}", "count": content.count(b"\n")}
        for name, content in files.items()
    ]
    members = {"transactionTime": "2026-03-04T05:06:07Z", "request": origin, "requiresAccessToken": True, "error": []}
    return json.dumps({**members, "output": output}).encode()


def _part(content: memoryview, name: str, start: int | None) -> tuple[int, memoryview, list[tuple[str, str]]]:
    """Status, body and headers for a file, or for what of it begins there."""
    etag = ("ETag", f'"{name}"')
    if start is None:
        return 200, content, [etag]
    if start >= len(content):
        return 416, memoryview(b""), [("Content-Range", f"bytes */{len(content)}")]
    return 206, content[start:], [etag, ("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")]


class _Handler(providers.Answering, BaseHTTPRequestHandler):
    origin: ClassVar[str]
    files: ClassVar[Mapping[str, bytes]]
    manifest: ClassVar[bytes]
    asked: ClassVar[list[tuple[str, int]]] = []

    def do_GET(self) -> None:
        if self.path.startswith(_FILE):
            self._file(self.path.removeprefix(_FILE))
        elif self.path == "/told":
            found, self.asked[:] = list(self.asked), []
            self.answer(json.dumps(found).encode())
        elif "$export" in self.path:
            self.answer(b"", ("Content-Location", f"{self.origin}/r4/jobs/1"), status=202)
        else:
            self.answer(self.manifest)

    def do_POST(self) -> None:
        form = self.received().decode()
        scope = urllib.parse.parse_qs(form)["scope"][0]
        self.answer(json.dumps({**json.loads(_TOKEN), "scope": scope}).encode())

    def do_DELETE(self) -> None:
        self.answer(b"", status=202)

    def _file(self, name: str) -> None:
        found = _RANGE.fullmatch(self.headers.get("Range", ""))
        start = int(found[1]) if found else None
        self.asked.append((name, start or 0))
        status, body, headers = _part(memoryview(self.files[name]), name, start)
        self.answer(body, *headers, status=status)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
