"""Requests to the sandbox, verbatim: a ring buffer in memory, for tests and for curious people.

It contains codes, secrets and tokens on purpose. They are invented, exist only in this process, and can be read only on
this machine.
"""

import itertools
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.sandbox import clock

MOST_REQUESTS = 5_000
MOST_BODY_BYTES = 65_536
_RECORDED = ("/a/", "/b/")
_WITHOUT_PREFIX = {"CONTENT_TYPE", "CONTENT_LENGTH"}

_numbers = itertools.count(1)
_ring: deque["Recorded"] = deque(maxlen=MOST_REQUESTS)
_lock = threading.Lock()


@dataclass(frozen=True)
class Recorded:
    """One request as it arrived, and the status of its response. `headers` are stored under their WSGI names."""

    number: int
    at: datetime
    method: str
    path: str
    query: str
    wsgi_headers: tuple[tuple[str, str], ...]
    body: bytes
    status: int

    @property
    def headers(self) -> dict[str, str]:
        """Header names as on the wire, in canonical case."""
        return {name.removeprefix("HTTP_").replace("_", "-").title(): value for name, value in self.wsgi_headers}


def requests(*, since: int = 0, path: str = "", method: str = "") -> list[Recorded]:
    """The recorded requests after number `since`, oldest first, filtered by part of the path and by method."""
    with _lock:
        rows = list(_ring)
    return [
        row for row in rows if row.number > since and path in row.path and (not method or row.method == method.upper())
    ]


def clear() -> None:
    """Delete the recorded requests; the numbers go on."""
    with _lock:
        _ring.clear()


class RecorderMiddleware:
    """Records requests to the interfaces, not to the sandbox's own pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(_RECORDED):
            return self.get_response(request)
        meta = request.META
        body = b"" if meta.get("CONTENT_LENGTH") in (None, "", "0") else _body(request)
        number, at = next(_numbers), clock.now()
        response = self.get_response(request)
        headers = tuple(
            (name, value)
            for name, value in meta.items()
            if value and (name.startswith("HTTP_") or name in _WITHOUT_PREFIX)
        )
        query = meta.get("QUERY_STRING", "")
        row = Recorded(number, at, request.method or "", request.path_info, query, headers, body, response.status_code)
        with _lock:
            _ring.append(row)
        return response


def _body(request: HttpRequest) -> bytes:
    length = request.META.get("CONTENT_LENGTH", "")
    return request.body[:MOST_BODY_BYTES] if length.isdigit() and int(length) <= MOST_BODY_BYTES else b""
