"""Answers for Hypothesis to draw: almost right, cut off, spoiled, of any status, with repeated or false headers.

One body in eleven is correct. What Hypothesis draws changes with the code around it, so with almost correct bodies
alone, chance would decide how many journeys succeed.
"""

import gzip
import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.wire.test_random_answers import shaped_like

_DEEP = 1_500
_TYPES = (
    "application/json",
    "application/fhir+json;charset=utf-8",
    "application/json; charset=utf-16",
    "text/html",
    "",
    "/;=",
    "x" * 300,
)
_HEADERS = (
    "Content-Type: text/plain",
    "Content-Type: application/json; charset=klingon",
    "Content-Length: 3",
    "Content-Length: 99999",
    "Content-Length: -1",
    "Content-Length: many",
    "Transfer-Encoding: chunked",
    "Content-Encoding: gzip",
    "Content-Encoding: deflate, gzip, br",
    "Content-Encoding: identity",
    "Retry-After: -5",
    "Retry-After: Fri, 31 Feb 2026 99:99:99 GMT",
    'WWW-Authenticate: Bearer error="invalid_token"',
    'WWW-Authenticate: "',
    "Location: http://169.254.169.254/",
    "Set-Cookie: sessionid=theirs; Path=/",
    "no colon at all",
    ": no name",
    "X-Long: " + "y" * 20_000,
    "X-Odd: \u00ff\u00fe",
)


@dataclass(frozen=True, repr=False)
class Drawn:
    """One whole answer; `document` is what its body says as JSON, or None where it says nothing that is JSON, in the
    character set that it names, or that its first two bytes mark, either. A control character that stands in a text
    unescaped is one all the same."""

    status: int
    octets: bytes
    document: Any

    def __repr__(self) -> str:
        return f"{self.octets[:600]!r}"


def answers(*examples: dict[str, Any]) -> st.SearchStrategy[Drawn]:
    """Answers that resemble the examples, or do not."""
    return st.builds(
        _answer,
        status=st.sampled_from([200] * 12 + [201, 204, 400, 401, 403, 404, 410, 429, 500, 503]) | st.integers(100, 599),
        body=_bodies(*examples),
        content_type=st.sampled_from(_TYPES[:1] * 4 + _TYPES),
        headers=st.just([]) | st.just([]) | st.lists(st.sampled_from(_HEADERS), max_size=3),
        is_packed=st.sampled_from([False] * 7 + [True]),
    )


def _bodies(*examples: dict[str, Any]) -> st.SearchStrategy[bytes]:
    intact = st.sampled_from([json.dumps(example).encode() for example in examples])
    near = st.one_of(*map(shaped_like, examples)).map(lambda value: json.dumps(value).encode())
    cut = st.tuples(near, st.integers(0, 400)).map(lambda pair: pair[0][: pair[1]])
    spoilt = st.tuples(near, st.integers(0, 400), st.sampled_from([b"\x00", b"\xff", b"\xc3", b'"', b"}", b"\\u"])).map(
        lambda parts: parts[0][: parts[1]] + parts[2] + parts[0][parts[1] :]
    )
    marked = near.map(lambda body: b"\xef\xbb\xbf" + body)
    wide = near.map(lambda body: body.decode().encode("utf-16"))
    deep = st.integers(1, _DEEP).map(lambda depth: b'{"entry":[' * depth)
    noise = st.binary(max_size=40) | st.sampled_from(
        [b"", b"null", b"1e999", b"[]", b"<!doctype html><h1>Sorry</h1>", b"-" * 5000, b"9" * 5000, b'"\\ud800"']
    )
    return st.one_of(intact, near, near, near, near, cut, spoilt, marked, wide, deep, noise)


def _answer(status: int, body: bytes, content_type: str, headers: list[str], *, is_packed: bool) -> Drawn:
    sent = gzip.compress(body, 1) if is_packed else body
    lines = [f"HTTP/1.1 {status} Said", f"Content-Type: {content_type}"]
    if is_packed:
        lines.append("Content-Encoding: gzip")
    if not any(header.startswith(("Content-Length", "Transfer")) for header in headers):
        lines.append(f"Content-Length: {len(sent)}")
    head = "\r\n".join([*lines, *headers, "", ""]).encode("latin-1")
    is_wide = "utf-16" in content_type or body.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    charsets = ("utf-8", "utf-16") if is_wide else ("utf-8",)
    return Drawn(status, head + sent, next(filter(None, (_document(body, charset) for charset in charsets)), None))


def _document(body: bytes, charset: str) -> Any:
    try:
        return json.loads(body.removeprefix(b"\xef\xbb\xbf").decode(charset, errors="replace"), strict=False)
    except (ValueError, RecursionError):
        return None
