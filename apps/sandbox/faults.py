"""Faults in answers: armed for one kind of route and a number of requests, after which they disappear.

Some faults replace the route (as if the request had never arrived); others let the route do its work and spoil the
answer. The difference matters to a client: after a lost answer, a refresh token may be spent.
"""

import errno
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from apps.sandbox import clock

# In the META of a request that met a fault: the kind, and where the route did its work, the status it gave.
MET = "sandbox.fault"
WORKED_AS = "sandbox.worked_as"
LOSES = "sandbox.loses"
ROUTES = ("authorize", "token", "revoke", "keys", "metadata", "data")
_NAMES = {"smart-configuration": "metadata", "jwk": "keys", "openid-configuration": "keys"}

INSTEAD = {
    "throttled": "429 with Retry-After",
    "error": "500 with a line of text",
    "bad-gateway": "502 with a page",
    "unavailable": "503 with Retry-After",
    "forbidden": "403 with a line of text",
    "gone": "410 with a line of text",
    "redirect": "302 to another host",
    "dropped": "no answer: the connection ends, and nothing was done",
}
SPOILT = {
    "slow": "the right answer, late",
    "dribble": "the right answer, one byte at a time",
    "cut": "the first half of the answer",
    "html": "200 with a page",
    "wrong-type": "the right body, as text/plain",
    "empty": "200 with nothing",
    "lost": "the work is done, and the answer is a 502",
    "dropped-after": "the work is done, and the connection ends without an answer",
}
KINDS = {**INSTEAD, **SPOILT}
# Kinds with which the route does its work, but its answer is lost.
LOSING = frozenset({"cut", "html", "empty", "lost", "dropped-after"})
PATIENCE_SECONDS = 10.0  # no client waits longer for tokens: a slower answer counts as lost
_DROPPED = frozenset({"dropped", "dropped-after"})
# Their status, and their text; without one, a page.
_REFUSALS = {
    "throttled": (429, "Too many requests"),
    "error": (500, "Internal error"),
    "bad-gateway": (502, ""),
    "unavailable": (503, ""),
    "forbidden": (403, "Forbidden"),
    "gone": (410, "Gone"),
}
_PAGE = b"<!doctype html><title>Sorry</title><h1>Something went wrong</h1>"

_lock = threading.Lock()
_armed: list["Fault"] = []


@dataclass(frozen=True)
class Fault:
    """One fault. `count` None: until it is disarmed. `path` restricts it to addresses that contain it.

    `after` requests pass unharmed first. `seconds` is the delay of slow, and the pause between bytes of dribble;
    `retry_after` is sent unchanged (seconds or a date; empty: no header). `lasts_seconds` is by the sandbox's clock,
    from when it is armed (`armed_at`), so that an outage of twenty hours takes no time.
    """

    route: str
    kind: str
    count: int | None = 1
    path: str = ""
    after: int = 0
    seconds: float = 5.0
    retry_after: str = "2"
    lasts_seconds: float | None = None
    armed_at: datetime | None = None

    def __post_init__(self) -> None:
        if self.route not in ROUTES or self.kind not in KINDS:
            raise ValueError(f"route is one of {', '.join(ROUTES)}; kind is one of {', '.join(KINDS)}")

    @property
    def is_losing(self) -> bool:
        """Whether the route does its work, but its answer is lost."""
        return self.kind in LOSING or (self.kind == "slow" and self.seconds >= PATIENCE_SECONDS)

    def is_over(self, at: datetime) -> bool:
        """Whether its time has passed."""
        if self.lasts_seconds is None or self.armed_at is None:
            return False
        return at >= self.armed_at + timedelta(seconds=self.lasts_seconds)


def arm(fault: Fault) -> None:
    """Arm it, after those already armed."""
    with _lock:
        _armed.append(fault if fault.lasts_seconds is None else replace(fault, armed_at=clock.now()))


def disarm(route: str | None = None) -> None:
    """Disarm all faults (of one kind of route)."""
    with _lock:
        _armed[:] = [fault for fault in _armed if route is not None and fault.route != route]


def armed() -> tuple[Fault, ...]:
    """The faults that are still to come."""
    return tuple(_armed)


def take(route: str, path: str) -> Fault | None:
    """The fault for this request, counted down; None if there is none."""
    with _lock:
        for place, fault in enumerate(_armed):
            if fault.route != route or fault.path not in path or fault.is_over(clock.now()):
                continue
            if fault.after:
                _armed[place] = replace(fault, after=fault.after - 1)
                continue
            if fault.count == 1:
                del _armed[place]
            elif fault.count is not None:
                _armed[place] = replace(fault, count=fault.count - 1)
            return fault
    return None


def route_of(path: str) -> str | None:
    """The kind of route of an address, or None for the sandbox's own pages, which have no faults."""
    if not path.startswith(("/a/", "/b/")):
        return None
    tail = path.rstrip("/").lower().split("/")
    if tail[-1] in _NAMES:
        return _NAMES[tail[-1]]
    if "auth" in tail[:4] or {"authorization", "launch", "desk"} & {*tail[2:3]}:
        return tail[-1] if tail[-1] in ROUTES else None
    return "metadata" if tail[-1] == "metadata" else "data"


class FaultMiddleware:
    """Applies armed faults around the routes. Costs one comparison while none is armed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _armed:
            return self.get_response(request)
        route = route_of(request.path_info)
        fault = take(route, request.get_full_path()) if route else None
        if fault is None:
            return self.get_response(request)
        request.META[MET] = fault.kind
        request.META[LOSES] = fault.is_losing
        if fault.kind in INSTEAD:
            return _instead(fault)
        answer = self.get_response(request)
        request.META[WORKED_AS] = answer.status_code
        return _spoilt(fault, answer)


def _instead(fault: Fault) -> HttpResponseBase:
    if fault.kind in _DROPPED:
        return _hung_up()
    if fault.kind == "redirect":
        return HttpResponse(status=302, headers={"Location": "http://127.0.0.2/elsewhere"})
    status, text = _REFUSALS[fault.kind]
    answer = (
        HttpResponse(text, status=status, content_type="text/plain") if text else HttpResponse(_PAGE, status=status)
    )
    if fault.retry_after and fault.kind in {"throttled", "unavailable"}:
        answer["Retry-After"] = fault.retry_after
    return answer


def _spoilt(fault: Fault, answer: HttpResponseBase) -> HttpResponseBase:
    if fault.kind in _DROPPED:
        return _hung_up(answer.status_code)
    body = b"".join(answer) if isinstance(answer, StreamingHttpResponse) else getattr(answer, "content", b"")
    match fault.kind:
        case "slow":
            time.sleep(fault.seconds)
            return answer
        case "dribble":
            spoilt: HttpResponseBase = StreamingHttpResponse(_dribbled(body, fault.seconds), status=answer.status_code)
            spoilt["Content-Type"] = answer.get("Content-Type", "application/json")
            spoilt["Content-Length"] = str(len(body))
            return spoilt
        case "cut":
            return HttpResponse(body[: len(body) // 2], status=answer.status_code, content_type=answer["Content-Type"])
        case "html":
            return HttpResponse(_PAGE)
        case "wrong-type":
            return HttpResponse(body, status=answer.status_code, content_type="text/plain")
        case "empty":
            return HttpResponse(b"", content_type=answer.get("Content-Type", "application/json"))
        case _:  # lost
            return HttpResponse(_PAGE, status=502)


class _NeverSent(Iterator[bytes]):
    """A body that fails before its first byte: the server then closes the connection without sending anything."""

    def __next__(self) -> bytes:
        raise ConnectionResetError(errno.ECONNRESET, "dropped on request")


def _hung_up(status: int = 200) -> StreamingHttpResponse:
    return StreamingHttpResponse(_NeverSent(), status=status)


def _dribbled(body: bytes, seconds: float) -> Iterator[bytes]:
    for place in range(len(body)):
        time.sleep(seconds)
        yield body[place : place + 1]
