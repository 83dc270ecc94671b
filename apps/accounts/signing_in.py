"""What happens around signing in: it is logged, a new browser is reported by mail, the language follows the person.

A browser counts as known when it carries our signed cookie for this account. The cookie opens nothing: without it a
mail is sent, that is all.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from apps.accounts import lockout, mailing, noting, signed_in
from apps.accounts.models import User
from apps.audit.recording import EventType

KNOWN_BROWSER_COOKIE = "known_browser"
KNOWN_BROWSER_AGE = timedelta(days=365)
MOST_KNOWN_ACCOUNTS = 5  # of one browser; the oldest is forgotten


def complete(request: HttpRequest, response: HttpResponse, user: User, *, at: datetime, is_first: bool) -> None:
    """Log the sign-in; mail its owner when the browser is new; set the cookies that belong to the person.

    `is_first` is the sign-in that ends signing up: its browser is the owner's own, and there is no news in it.
    """
    noting.note(EventType.USER_SIGNED_IN, user, at=at)
    user_agent = request.headers.get("User-Agent", "")
    signed_in.describe(request.session, ip_address=lockout.client_address(request), user_agent=user_agent, at=at)
    known = _known_accounts(request)
    if str(user.pk) not in known and not is_first:
        _report(user, user_agent, at=at)
    known = [str(user.pk), *(account for account in known if account != str(user.pk))][:MOST_KNOWN_ACCOUNTS]
    response.set_signed_cookie(
        KNOWN_BROWSER_COOKIE,
        ".".join(known),
        salt=KNOWN_BROWSER_COOKIE,
        max_age=KNOWN_BROWSER_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, user.language, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
    )


def _report(user: User, user_agent: str, *, at: datetime) -> None:
    with mailing.not_in_the_way(user):
        mailing.send("accounts/email/new_sign_in", to=user.email, context={"at": at, "user_agent": user_agent})


def _known_accounts(request: HttpRequest) -> list[str]:
    try:
        value = request.get_signed_cookie(
            KNOWN_BROWSER_COOKIE, salt=KNOWN_BROWSER_COOKIE, max_age=KNOWN_BROWSER_AGE, default=""
        )
    except signing.BadSignature:
        return []
    return str(value).split(".") if value else []
