"""Exactly how often each grant's refresh token was sent; unlike the recorder's ring buffer, this forgets nothing.

A call is a POST to a token endpoint with a refresh token that is or was some grant's, even if a fault kept it from the
route. Times are the sandbox's. The counts live in the process, and are bounded in grants, and in times per grant.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qsl

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.sandbox import bearer, clock, faults
from apps.sandbox.models import RefreshToken, SmartRefreshToken

MOST_GRANTS = 20_000
MOST_TIMES = 64
_MOST_BODY_BYTES = 65_536
_MOST_FIELDS = 50

_counted: dict[str, "Count"] = {}
_lock = threading.Lock()


@dataclass
class Count:
    """For one grant. `answered` calls got tokens, of which `lost` were spoilt so that nobody could read them; `refused`
    calls got a 4xx from the route itself. The rest never reached the route.

    `shortest_seconds` is the shortest time between two calls; `shortest_after_answer_seconds` the shortest between a
    call whose tokens were delivered intact and the next.
    """

    calls: int = 0
    answered: int = 0
    lost: int = 0
    refused: int = 0
    under_way: int = 0
    most_at_once: int = 0
    shortest_seconds: float | None = None
    shortest_after_answer_seconds: float | None = None
    times: deque[datetime] = field(default_factory=lambda: deque(maxlen=MOST_TIMES))
    answered_at: datetime | None = None

    def begin(self, at: datetime) -> None:
        """A call has arrived."""
        if self.times:
            self.shortest_seconds = _less(self.shortest_seconds, at, self.times[-1])
        if self.answered_at is not None:
            self.shortest_after_answer_seconds = _less(self.shortest_after_answer_seconds, at, self.answered_at)
        self.times.append(at)
        self.calls += 1
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)

    def end(self, at: datetime, *, worked_as: int | None, is_lost: bool) -> None:
        """The call was answered. `worked_as` is the route's own status, None if the route was never reached."""
        self.under_way -= 1
        if worked_as is None:
            return
        self.answered += worked_as == 200
        self.refused += 400 <= worked_as < 500
        self.lost += worked_as == 200 and is_lost
        if worked_as == 200 and not is_lost:
            self.answered_at = max(at, self.answered_at or at)


def of(grant: RefreshToken | SmartRefreshToken) -> str:
    """The name of a refresh token's grant, in either interface."""
    return f"{'a' if isinstance(grant, RefreshToken) else 'b'}-{grant.grant_id}"


def counted(name: str) -> Count:
    """The counts of this grant's refresh token; all zero if it was never sent."""
    return _counted.get(name) or Count()


def clear() -> None:
    """Reset all counts."""
    with _lock:
        _counted.clear()


class RefreshCountMiddleware:
    """Comes before the faults, so that it sees what they keep from the routes and what they spoil."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        secret = _refresh_token(request) if faults.route_of(request.path_info) == "token" else None
        name = _grant(request.path_info, secret) if secret else None
        if name is None:
            return self.get_response(request)
        at = clock.now()
        with _lock:
            if name not in _counted and len(_counted) >= MOST_GRANTS:
                del _counted[next(iter(_counted))]
            count = _counted.setdefault(name, Count())
            count.begin(at)
        worked_as, is_lost = None, False
        try:
            answer = self.get_response(request)
            is_lost = request.META.get(faults.LOSES, False)
            worked_as = request.META.get(faults.WORKED_AS) if faults.MET in request.META else answer.status_code
        finally:
            with _lock:
                count.end(at, worked_as=worked_as, is_lost=is_lost)
        return answer


def _refresh_token(request: HttpRequest) -> str | None:
    """Where the interface has it: in the query, or in a form body."""
    given = request.META.get("QUERY_STRING", "")
    length = request.META.get("CONTENT_LENGTH") or ""
    if request.path_info.startswith("/b/"):
        fits = length.isdigit() and int(length) <= _MOST_BODY_BYTES
        given = request.body.decode("utf-8", "replace") if fits else ""
    try:
        return dict(parse_qsl(given, max_num_fields=_MOST_FIELDS)).get("refresh_token")
    except ValueError:
        return None


def _grant(path: str, secret: str) -> str | None:
    tokens = SmartRefreshToken.objects if path.startswith("/b/") else RefreshToken.objects
    token = tokens.filter(sha256=bearer.sha256(secret)).only("grant_id").first()
    return of(token) if token else None


def _less(known: float | None, at: datetime, earlier: datetime) -> float:
    seconds = (at - earlier).total_seconds()
    return seconds if known is None else min(known, seconds)
