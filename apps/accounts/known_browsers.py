"""Which accounts a browser is known to, by a signed cookie of ours.

The cookie opens nothing. A sign-in without it is reported to the owner by mail; and while somebody guesses the password
of an account, that account takes no password from a browser without it (`password_guessing`). The cookie holds for the
password that was in force: once the password changes, the browser counts as unknown until its user signs in again.
"""

from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from apps.accounts.models import User

COOKIE = "known_browser"
COOKIE_AGE = timedelta(days=365)
MOST_ACCOUNTS = 5  # in one browser; the oldest is dropped

_OWNER = "owner"  # in the session: the account whose password was set in it


def remember(request: HttpRequest, response: HttpResponse, user: User) -> bool:
    """Add this account to the browser's cookie. Returns whether it was there already."""
    others = [note for note in _notes(request) if _account(note) != str(user.pk)]
    is_known = _knows(request, user)
    response.set_signed_cookie(
        COOKIE,
        ".".join([_note(user, settings.SECRET_KEY), *others][:MOST_ACCOUNTS]),
        salt=COOKIE,
        max_age=COOKIE_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return is_known


def remember_owner(session: SessionBase, user: User) -> None:
    """Note in the session that this account's password was set in it, which takes the old password or a mailed code."""
    session[_OWNER] = str(user.pk)


def is_known_to(email: str, request: HttpRequest) -> bool:
    """Whether the browser has shown that it belongs to the owner of the account with this address, in lower case."""
    owner = User.objects.filter(email=email).first()
    if owner is None:
        return False
    has_set_password = request.session.get(_OWNER) == str(owner.pk)
    return has_set_password or request.user == owner or _knows(request, owner)


def _knows(request: HttpRequest, user: User) -> bool:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(note, _note(user, key)) for note in _notes(request) for key in keys)


def _note(user: User, key: str | bytes) -> str:
    """The account, and a digest of its password hash, which changes with the password."""
    return f"{user.pk}:{salted_hmac(COOKIE, user.password, secret=key, algorithm='sha256').hexdigest()[:32]}"


def _account(note: str) -> str:
    return note.partition(":")[0]


def _notes(request: HttpRequest) -> list[str]:
    try:
        value = request.get_signed_cookie(COOKIE, salt=COOKIE, max_age=COOKIE_AGE, default="")
    except signing.BadSignature:
        return []
    return str(value).split(".") if value else []
