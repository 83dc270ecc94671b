"""The cookie that ties a sign-in at a provider to the browser in which it began. It serves nothing else."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from apps.connections.authorization_requests import binding
from apps.wire.secret import Secret

_AGE_SECONDS = 3600  # longer than any request is open


def name() -> str:
    """With the `__Host-` prefix, no other host of the same domain can set it; over plain http, browsers refuse the
    prefix."""
    return "__Host-browser" if settings.SESSION_COOKIE_SECURE else "browser"


def read(request: HttpRequest) -> Secret | None:
    """This browser's value, if the cookie has the right form."""
    return binding.read_browser(request.COOKIES.get(name()))


def write(response: HttpResponse, browser: Secret) -> None:
    """Set the cookie. SameSite is Lax, because Strict cookies are not sent on the way back from the provider."""
    response.set_cookie(
        name(),
        browser.reveal(),
        max_age=_AGE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
