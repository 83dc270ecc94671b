"""Which accounts a browser has shown to be its user's, by our signed cookie.

The cookie opens nothing. Without it a sign-in is reported by mail, and a password is not taken for an account that is
being guessed at (`apps/accounts/guessing.py`).
"""

from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.core import signing
from django.http import HttpRequest, HttpResponse

from apps.accounts.models import User

COOKIE = "known_browser"
COOKIE_AGE = timedelta(days=365)
MOST_ACCOUNTS = 5  # of one browser; the oldest is forgotten

_OWNER = "owner"  # in the session: the account whose password was set in it


def remember(request: HttpRequest, response: HttpResponse, user: User) -> bool:
    """Note in the browser that this account was signed in to. Returns whether it knew."""
    known = _accounts(request)
    others = [account for account in known if account != str(user.pk)]
    response.set_signed_cookie(
        COOKIE,
        ".".join([str(user.pk), *others][:MOST_ACCOUNTS]),
        salt=COOKIE,
        max_age=COOKIE_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return len(others) < len(known)


def remember_owner(session: SessionBase, user: User) -> None:
    """Note in the session that somebody set this account's password, which takes the old one or a mailed code."""
    session[_OWNER] = str(user.pk)


def is_known_to(email: str, request: HttpRequest) -> bool:
    """Whether the browser has shown that it is the owner's of the account with this address, in small letters."""
    owner = User.objects.filter(email=email).first()
    if owner is None:
        return False
    shown = (*_accounts(request), request.session.get(_OWNER))
    return str(owner.pk) in shown or request.user == owner


def _accounts(request: HttpRequest) -> list[str]:
    try:
        value = request.get_signed_cookie(COOKIE, salt=COOKIE, max_age=COOKIE_AGE, default="")
    except signing.BadSignature:
        return []
    return str(value).split(".") if value else []
