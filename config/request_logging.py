"""One line per request: what was requested, by whom, and how it ended; and an id that joins all lines of the request.

Of the URL only the route is logged, with ids filled in: no query string, no header, no text that somebody typed.
"""

import re
import time
from collections.abc import Callable
from uuid import UUID, uuid4

import structlog
from django.http import HttpRequest, HttpResponse
from django.urls import ResolverMatch

logger = structlog.get_logger(__name__)

HEADER = "X-Request-ID"
_QUIET_ROUTES = frozenset({"health/", "ready/", "metrics"})  # requested every few seconds by monitors
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


class RequestLoggingMiddleware:
    """Middleware. Binds `request_id` to every line logged during the request, and returns it in X-Request-ID."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Log the request once it is answered; by then Django has turned any exception into a response."""
        request_id = _request_id(request)
        started_at_seconds = time.perf_counter()
        structlog.contextvars.clear_contextvars()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self._get_response(request)
            duration_ms = round((time.perf_counter() - started_at_seconds) * 1000, 1)
            _log(request, response.status_code, duration_ms)
        response[HEADER] = request_id
        return response


def address_with_ids(match: ResolverMatch | None) -> str | None:
    """The route that matched, such as `connections/<uuid>/`, with UUIDs and numbers filled in; None if none matched."""
    if match is None:
        return None

    def fill(parameter: re.Match[str]) -> str:
        value = match.kwargs.get(parameter.group(1))
        return str(value) if isinstance(value, UUID | int) else parameter.group()

    return "/" + _PARAMETER.sub(fill, match.route)


def _log(request: HttpRequest, status: int, duration_ms: float) -> None:
    match = request.resolver_match
    is_quiet = match is not None and match.route in _QUIET_ROUTES and status < 400
    # the user as the view already loaded it: logging must not cost a query, nor make the page vary by cookie
    user = getattr(request, "_cached_user", None)
    (logger.debug if is_quiet else logger.info)(
        "request",
        method=request.method if request.method in _METHODS else "other",
        path=address_with_ids(match),
        status=status,
        duration_ms=duration_ms,
        user_id=str(user.pk) if user is not None and user.pk else None,
    )


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _request_id(request: HttpRequest) -> str:
    """The proxy's id if it is a UUID, otherwise a new one: any other text would be logged with every line."""
    try:
        return str(UUID(request.headers.get(HEADER, "")))
    except ValueError:
        return str(uuid4())
