"""A clinic's program that opens SMART Health Links. It is written from the specification and imports nothing of ours.

`receive(link, by(client), passcode=...)` returns the documents behind a link; `by_network` asks over the network. What
the specification does not allow fails an assertion, and a refusal that it does allow raises Refused.
"""

import base64
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PAYLOAD = {"url": str, "key": str, "exp": int, "flag": str, "label": str, "v": int}
KINDS = {"application/smart-health-card", "application/smart-api-access", "application/fhir+json"}
STATES = {"finalized", "can-change", "entered-in-error", "no-longer-valid", "retracted"}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
BASE64URL = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self):
        return self.headers.get("content-type", "").partition(";")[0]


Sending = Callable[[str, str, Mapping[str, str], bytes], Answer]  # a method, an address, headers and a body


class Refused(Exception):
    """No manifest. `remaining` is how many tries a wrong passcode left."""

    def __init__(self, answer, remaining=None):
        super().__init__(answer.status)
        self.answer = answer
        self.status = answer.status
        self.remaining = remaining


@dataclass(frozen=True)
class Received:
    """One file, opened. `way` is how it came: embedded, or by a location."""

    content_type: str
    content: bytes
    way: str
    entry: dict[str, Any]

    @property
    def resource(self):
        return json.loads(self.content)


def by(client):
    """Through a test client of Django."""

    def send(method, url, headers, body):
        parts = urlsplit(url)
        answered = client.generic(
            method,
            _path(url),
            body,
            content_type=headers.get("Content-Type", ""),
            secure=parts.scheme == "https",
            headers={**headers, "Host": parts.netloc},
        )
        content = b"".join(answered.streaming_content) if answered.streaming else answered.content
        return Answer(answered.status_code, {name.lower(): value for name, value in answered.items()}, content)

    return send


def by_network(method, url, headers, body):
    """To a server of this machine."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    try:
        connection.request(method, _path(url), body=body or None, headers=dict(headers))
        answered = connection.getresponse()
        named = {name.lower(): value for name, value in answered.getheaders()}
        return Answer(answered.status, named, answered.read())
    finally:
        connection.close()


def _path(url):
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def payload_of(link):
    """What stands in a link, with a viewer's address before it or without."""
    viewer, scheme, encoded = link.rpartition("shlink:/")
    assert scheme, "no health link"
    assert not viewer or viewer.endswith("#")
    written = decoded(encoded)
    payload = json.loads(written)
    compact = {json.dumps(payload, separators=(",", ":"), ensure_ascii=escaped) for escaped in (True, False)}
    assert written.decode() in compact, "not minified"
    assert {"url", "key"} <= payload.keys()
    assert all(type(payload[name]) is kind for name, kind in PAYLOAD.items() if name in payload)
    assert len(payload["url"]) <= 128
    assert len(payload["key"]) == 43
    assert len(decoded(payload["key"])) == 32
    assert len(payload.get("label", "")) <= 80
    flags = payload.get("flag", "")
    assert list(flags) == sorted(set(flags))
    assert not {"P", "U"} <= set(flags)
    assert payload.get("v", 1) == 1
    return payload


def manifest(link, send, *, recipient="Harbor Clinic", passcode=None, embedded_length_max=None):
    """The manifest that a link leads to. Raises Refused."""
    payload = payload_of(link)
    asked: dict[str, Any] = {"recipient": recipient}
    if passcode is not None:
        asked["passcode"] = passcode
    if embedded_length_max is not None:
        asked["embeddedLengthMax"] = embedded_length_max
    answer = send("POST", payload["url"], {"Content-Type": "application/json"}, json.dumps(asked).encode())
    if answer.status == 401:
        remaining = json.loads(answer.body)["remainingAttempts"]
        assert type(remaining) is int
        raise Refused(answer, remaining)
    if answer.status != 200:
        raise Refused(answer)
    assert answer.content_type == "application/json"
    return json.loads(answer.body)


def receive(link, send, *, embedded_length_max=None, **asked):
    """The files that a link leads to, opened. Raises Refused."""
    key = decoded(payload_of(link)["key"])
    told = manifest(link, send, embedded_length_max=embedded_length_max, **asked)
    return [_received(entry, key, send, embedded_length_max) for entry in told["files"]]


def _received(entry, key, send, longest):
    assert entry["contentType"] in KINDS
    assert len({"embedded", "location"} & entry.keys()) == 1
    assert "lastUpdated" not in entry or MOMENT.fullmatch(entry["lastUpdated"])
    assert entry.get("status", "finalized") in STATES
    if "embedded" in entry:
        way, file = "embedded", entry["embedded"]
        assert longest is None or len(file) <= longest
    else:
        way, file = "location", fetched(entry["location"], send)
    content_type, content = opened(file, key)
    assert content_type == entry["contentType"]
    return Received(content_type, content, way, entry)


def fetched(location, send):
    """A file by its address. Raises Refused."""
    answer = send("GET", location, {}, b"")
    if answer.status != 200:
        raise Refused(answer)
    assert answer.content_type == "application/jose"
    return answer.body.decode("ascii")


def opened(file, key):
    """The type and the content of an encrypted file. Raises `cryptography.exceptions.InvalidTag`."""
    protected, wrapped, nonce, sealed, tag = file.split(".")
    header = json.loads(decoded(protected))
    assert header.keys() <= {"alg", "enc", "cty", "zip"}
    assert (header["alg"], header["enc"], wrapped) == ("dir", "A256GCM", "")
    assert header.get("zip", "DEF") == "DEF"
    content = AESGCM(key).decrypt(decoded(nonce), decoded(sealed) + decoded(tag), protected.encode())
    return header["cty"], zlib.decompress(content, -zlib.MAX_WBITS) if "zip" in header else content


def decoded(text):
    """Base64url as JOSE has it, without padding."""
    assert BASE64URL.fullmatch(text), "not base64url"
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
