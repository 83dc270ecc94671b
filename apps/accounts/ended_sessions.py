"""Tell somebody that their session ended, by itself or from another browser.

The session cookie is deleted as soon as it opens nothing, and it never says whose it was. So signing in sets a second
cookie, which says only that somebody was signed in here and lasts until the browser is closed. It opens nothing;
whoever forges it reads one sentence that does not concern them. Logging out deletes it.
"""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _

COOKIE = "was_signed_in"


def mark(response: HttpResponse) -> None:
    """Set the cookie: somebody has just signed in."""
    response.set_cookie(COOKIE, "1", secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax")


def forget(response: HttpResponse) -> None:
    """Delete the cookie: it was said, or there is nothing to say, because they logged out themselves."""
    response.delete_cookie(COOKIE, samesite="Lax")


def tell(request: HttpRequest, response: HttpResponse) -> None:
    """Say it once, on the sign-in page, if this response redirects there from a page that needs somebody signed in. The
    sentence travels in the signed cookie of Django's messages."""
    leads_to = response.get("Location", "")
    if not (leads_to and request.COOKIES.get(COOKIE)):  # as nearly always
        return
    if leads_to.startswith(f"{resolve_url(settings.LOGIN_URL)}?") and not request.user.is_authenticated:
        messages.info(request, _("You were logged out to protect your record"))
        forget(response)
