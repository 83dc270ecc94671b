"""Error pages. They say what happened and what to do, and no more."""

import logging
import sys
from urllib.parse import urlsplit

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.template import loader
from django.views.decorators.csrf import requires_csrf_token
from redis import exceptions as redis

from apps.accounts import destinations, mailing
from apps.connections import database_outages

# One of our servers is unavailable for a while. An answer of Redis that we do not understand is our fault: a 500; if
# it is full, or read-only, the operator has to fix that.
_AWAY = (
    redis.ConnectionError,
    redis.TimeoutError,
    redis.OutOfMemoryError,
    redis.ReadOnlyError,
    mailing.NotSent,
)
_NOT_TAKEN = ("MISCONF ", "NOREPLICAS ")  # prefixes of errors with which Redis refuses writes
_COME_AGAIN_SECONDS = 60
_LOG = logging.getLogger(__name__)


@requires_csrf_token
def unreadable(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: too large, malformed, or for a host name that is not ours."""
    del exception
    return render(request, "400.html", status=400)


@requires_csrf_token
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: there is no such page, or it belongs to somebody else. Both look the same."""
    del exception  # its text may hold an address
    return render(request, "404.html", status=404)


@requires_csrf_token
def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: signed in, but not permitted."""
    del exception
    return render(request, "403.html", status=403)


@requires_csrf_token
def too_many_tries(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """429: too many tries, counted by the sign-in library."""
    del exception
    return render(request, "429.html", {"login_url": destinations.on_the_way(request, "account_login")}, status=429)


def failed(request: HttpRequest) -> HttpResponse:
    """500: our fault. 503 if the current exception says that database, Redis or mail server did not answer: that
    passes, and proxies may retry. Whether a submitted change was made is unknown then. Rendered without request or
    database, which may be what failed."""
    del request
    exception = sys.exception()
    if isinstance(exception, mailing.NotSent):
        _LOG.error("A mail that somebody waits for was not sent: %s.", exception)
    if exception is not None and _is_outage(exception):
        again = {"Retry-After": str(_COME_AGAIN_SECONDS)}
        return HttpResponse(loader.render_to_string("errors/away.html"), status=503, headers=again)
    return HttpResponse(loader.render_to_string("500.html"), status=500)


def _is_outage(exception: BaseException) -> bool:
    """A Redis that cannot save to disk, or lacks required replicas, says so only in the error's text."""
    if isinstance(exception, _AWAY) or database_outages.is_outage(exception):
        return True
    return isinstance(exception, redis.ResponseError) and str(exception).startswith(_NOT_TAKEN)


@requires_csrf_token
def page_out_of_date(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The CSRF token does not match: the page was open too long, or the browser refuses cookies. Nothing was done."""
    context = {"again": _page_of_the_form(request), "has_no_cookie": reason == REASON_NO_CSRF_COOKIE}
    return render(request, "403_csrf.html", context, status=403)


def _page_of_the_form(request: HttpRequest) -> str:
    """The page with the form, which may post to another URL that shows nothing."""
    came_from = urlsplit(request.headers.get("Referer", ""))
    try:
        is_ours = came_from.netloc == request.get_host()
    except DisallowedHost:
        is_ours = False
    address = came_from._replace(scheme="", netloc="", fragment="").geturl()
    return destinations.own_path(address if is_ours else "", otherwise=request.path)
