"""Tell somebody that their session ended: by itself, or from another browser.

The session's own cookie is deleted as soon as it opens nothing, and never says who had it. So signing in leaves a mark
beside it that says no more than that somebody was signed in here, and lasts as long as the session of the browser. It
opens nothing, and whoever makes one reads one sentence that does not concern them. Logging out takes it away.
"""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _

COOKIE = "was_signed_in"


def mark(response: HttpResponse) -> None:
    """Somebody has just signed in."""
    response.set_cookie(COOKIE, "1", secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax")


def forget(response: HttpResponse) -> None:
    """It was told, or there is nothing to tell: they logged out themselves, and that page has its own words."""
    response.delete_cookie(COOKIE, samesite="Lax")


def tell(request: HttpRequest, response: HttpResponse) -> None:
    """Have the sign-in page say so, once, where this answer leads from a page there that somebody signed in would have
    seen. The sentence travels in the cookie of messages, which we sign."""
    leads_to = response.get("Location", "")
    if not (leads_to and request.COOKIES.get(COOKIE)):  # as of nearly every answer
        return
    if leads_to.startswith(f"{resolve_url(settings.LOGIN_URL)}?") and not request.user.is_authenticated:
        messages.info(request, _("You were logged out to protect your record"))
        forget(response)
