"""The visitor's pages: ask for the passcode, then show the part of the record.

A visitor has no account. That the passcode was right is stored in a signed, short-lived cookie for this one link; a
share that ends meanwhile shows nothing more, whatever the cookie says.
"""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import time_zones
from apps.sharing import rate_limit, showing, visiting
from apps.sharing.forms import PasscodeForm
from apps.sharing.models import Opening, Share
from apps.sharing.rate_limit import TooOften
from apps.sharing.visiting import Over, Refused
from apps.vault.errors import Shredded

COOKIE: Final = "opened_share"
_AGE: Final = timedelta(minutes=30)
_MINUTES: Final = rate_limit.SECONDS // 60


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(no_store=True, private=True)
def show_shared(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind a link: the shared part, once the passcode was given; POST gives it."""
    now = timezone.now()
    try:
        share = visiting.find(token, at=now)
        if request.method == "POST":
            return _enter(request, token, share)
        if not _has_entered(request, share):
            return _ask(request, PasscodeForm(), share)
        rate_limit.count(share.pk)
        with timezone.override(time_zones.of(share.user)):  # the days of the record are those of its owner
            context = {"share": share, "token": token, "summary": showing.summary(share, at=now), "now": now}
            return _private(render(request, "sharing/shared.html", context))
    except TooOften:
        return _private(render(request, "sharing/too_often.html", {"minutes": _MINUTES}, status=429))
    except (Over, Shredded):  # Shredded: its owner closed the account a moment ago
        return _over(request)


@require_POST
@cache_control(no_store=True, private=True)
def leave(_request: HttpRequest, token: str) -> HttpResponse:
    """Forget on this device that the passcode was given."""
    answer = redirect("shared", token)
    answer.delete_cookie(COOKIE, path=reverse("shared", args=[token]))
    return answer


def _enter(request: HttpRequest, token: str, share: Share) -> HttpResponse:
    form = PasscodeForm(request.POST)
    if not form.is_valid():
        return _ask(request, form, share, status=422)
    given = {**form.cleaned_data, "way": Opening.Way.PAGE, "signed_in": request.user.pk}
    try:
        visiting.enter(token, at=timezone.now(), **given)
    except Refused as refused:
        if not refused.tries_left:
            return _over(request)
        form.refuse(refused.tries_left)
        return _ask(request, form, share, status=422)
    answer = redirect("shared", token)
    answer.set_signed_cookie(
        COOKIE,
        str(share.pk),
        salt=COOKIE,
        max_age=_AGE,
        path=reverse("shared", args=[token]),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return answer


def _has_entered(request: HttpRequest, share: Share) -> bool:
    try:
        return bool(request.get_signed_cookie(COOKIE, salt=COOKIE, max_age=_AGE, default="") == str(share.pk))
    except signing.BadSignature:
        return False


def _ask(request: HttpRequest, form: PasscodeForm, share: Share, *, status: int = 200) -> HttpResponse:
    context = {"form": form, "is_own": request.user.pk == share.user_id}
    return _private(render(request, "sharing/passcode.html", context, status=status))


def _over(request: HttpRequest) -> HttpResponse:
    return _private(render(request, "sharing/over.html", status=404))


def _private(answer: HttpResponse) -> HttpResponse:
    """Keep the page out of search engines."""
    answer["X-Robots-Tag"] = "noindex, nofollow"
    return answer
