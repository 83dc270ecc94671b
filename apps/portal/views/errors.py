"""Pages for what went wrong between a browser and us. They say what happened and what to do, never more."""

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
from apps.connections import outages

# A server of ours, for a while. What Redis answers and we do not understand is our fault, and stays; that it has no
# room, or is a copy that takes nothing, is for whoever runs it to mend.
_AWAY = (
    redis.ConnectionError,
    redis.TimeoutError,
    redis.OutOfMemoryError,
    redis.ReadOnlyError,
    mailing.NotSent,
)
_NOT_TAKEN = ("MISCONF ", "NOREPLICAS ")  # how such an answer of Redis begins
_COME_AGAIN_SECONDS = 60
_LOG = logging.getLogger(__name__)


@requires_csrf_token
def unreadable(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: too large, malformed, or for a host that is not ours."""
    del exception
    return render(request, "400.html", status=400)


@requires_csrf_token
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: there is no such page, or it is somebody else's. The two look the same."""
    del exception  # its text may hold an address
    return render(request, "404.html", status=404)


@requires_csrf_token
def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: signed in, but not for this."""
    del exception
    return render(request, "403.html", status=403)


@requires_csrf_token
def too_many_tries(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """429: the sign-in library counted too many tries."""
    del exception
    return render(request, "429.html", {"login_url": destinations.on_the_way(request, "account_login")}, status=429)


def failed(request: HttpRequest) -> HttpResponse:
    """500: ours. 503 where the exception at hand says that database, Redis or mail server did not answer: it passes,
    and whoever stands between may ask again. Whether what was sent is done, nobody can tell then. Rendered without
    request or database, which may be what failed."""
    del request
    exception = sys.exception()
    if isinstance(exception, mailing.NotSent):
        _LOG.error("A mail that somebody waits for was not sent: %s.", exception)
    if exception is not None and _is_outage(exception):
        again = {"Retry-After": str(_COME_AGAIN_SECONDS)}
        return HttpResponse(loader.render_to_string("errors/away.html"), status=503, headers=again)
    return HttpResponse(loader.render_to_string("500.html"), status=500)


def _is_outage(exception: BaseException) -> bool:
    """A Redis that cannot save to its disk, or lacks the copies it was told to wait for, says so in words alone."""
    if isinstance(exception, _AWAY) or outages.is_one(exception):
        return True
    return isinstance(exception, redis.ResponseError) and str(exception).startswith(_NOT_TAKEN)


@requires_csrf_token
def page_out_of_date(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form's token does not fit: the page was open too long, or the browser takes no cookies. Nothing was done."""
    context = {"again": _page_of_the_form(request), "has_no_cookie": reason == REASON_NO_CSRF_COOKIE}
    return render(request, "403_csrf.html", context, status=403)


def _page_of_the_form(request: HttpRequest) -> str:
    """Where the form stood: it may post to an address that shows nothing."""
    came_from = urlsplit(request.headers.get("Referer", ""))
    try:
        is_ours = came_from.netloc == request.get_host()
    except DisallowedHost:
        is_ours = False
    address = came_from._replace(scheme="", netloc="", fragment="").geturl()
    return destinations.own_path(address if is_ours else "", otherwise=request.path)
