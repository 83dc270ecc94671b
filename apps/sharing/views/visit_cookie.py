"""The cookie that says that the passcode of one share was given in this browser, and which opening that was: signed,
short-lived, and sent for that share's addresses only."""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from apps.sharing.visiting import Visit

COOKIE: Final = "opened_share"
_AGE: Final = timedelta(minutes=30)


def give(answer: HttpResponse, token: str, visit: Visit) -> None:
    """Let this browser in."""
    answer.set_signed_cookie(
        COOKIE,
        f"{visit.share_id}:{visit.opening_id or ''}",
        salt=COOKIE,
        max_age=_AGE,
        path=_path(token),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def read(request: HttpRequest) -> Visit | None:
    """Who was let in; None if nobody was, or too long ago. An earlier release did not say which opening it was."""
    try:
        written = request.get_signed_cookie(COOKIE, salt=COOKIE, max_age=_AGE, default="") or ""
    except signing.BadSignature:
        return None
    share_id, says_opening, opening_id = written.partition(":")
    return Visit(UUID(share_id), UUID(opening_id) if opening_id else None) if says_opening else None


def take(answer: HttpResponse, token: str) -> None:
    """Let this browser in no more."""
    answer.delete_cookie(COOKIE, path=_path(token))


def _path(token: str) -> str:
    return reverse("shared", args=[token])
