"""The cookie that ties a sign-in at a provider to the browser it began in. Nothing else is read from it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from apps.connections.leaving import binding
from apps.wire.secret import Secret

_AGE_SECONDS = 3600  # longer than any request is open


def name() -> str:
    """With the `__Host-` prefix no other site of the same domain can set it; plain http has no such prefix."""
    return "__Host-browser" if settings.SESSION_COOKIE_SECURE else "browser"


def read(request: HttpRequest) -> Secret | None:
    """This browser's value, if it brought one of ours."""
    return binding.read_browser(request.COOKIES.get(name()))


def write(response: HttpResponse, browser: Secret) -> None:
    """Give it to the browser. Lax: Strict would be absent on the way back from the provider."""
    response.set_cookie(
        name(),
        browser.reveal(),
        max_age=_AGE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
