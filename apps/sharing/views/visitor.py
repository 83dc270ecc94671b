"""The visitor's pages: ask for the passcode, then show the part of the record.

A visitor has no account. That the passcode was right is stored in a cookie (`visit_cookie`); a share that ends
meanwhile shows nothing more, whatever the cookie says.
"""

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
from apps.sharing.views import visit_cookie
from apps.sharing.views.visitor_answers import over, private, too_often
from apps.sharing.visiting import Over, Refused
from apps.vault.errors import Shredded


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(no_store=True, private=True)
def show_shared(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind a link: the shared part, once the passcode was given; POST gives it."""
    now = timezone.now()
    try:
        share = visiting.find(token, at=now)
        if request.method == "POST":
            showing.of(share, at=now)  # if it shows nothing, that is no visit
            return _enter(request, token, share)
        if not _has_entered(request, share):
            showing.of(share, at=now)
            return _ask(request, PasscodeForm(), share)
        rate_limit.count(share.pk)
        with timezone.override(time_zones.of(share.user)):  # the days of the record are those of its owner
            summary = showing.summary(share, address=lambda ticket: _file_address(token, ticket), at=now)
            context = {"share": share, "token": token, "summary": summary, "now": now}
            return private(render(request, "sharing/shared.html", context))
    except TooOften:
        return too_often(request)
    except (Over, Shredded):  # Shredded: its owner closed the account a moment ago
        return over(request)


def _file_address(token: str, ticket: str) -> str:
    return reverse("shared_entry_file", args=[token, ticket])


@require_POST
@cache_control(no_store=True, private=True)
def leave(_request: HttpRequest, token: str) -> HttpResponse:
    """Forget on this device that the passcode was given."""
    answer = redirect("shared", token)
    visit_cookie.take(answer, token)
    return answer


def _enter(request: HttpRequest, token: str, share: Share) -> HttpResponse:
    form = PasscodeForm(request.POST)
    if not form.is_valid():
        return _ask(request, form, share, status=422)
    given = {**form.cleaned_data, "way": Opening.Way.PAGE, "signed_in": request.user.pk}
    try:
        _share, visit = visiting.enter(token, at=timezone.now(), **given)
    except Refused as refused:
        if not refused.tries_left:
            return over(request)
        form.refuse(refused.tries_left)
        return _ask(request, form, share, status=422)
    answer = redirect("shared", token)
    visit_cookie.give(answer, token, visit)
    return answer


def _has_entered(request: HttpRequest, share: Share) -> bool:
    visit = visit_cookie.read(request)
    return visit is not None and visit.share_id == share.pk


def _ask(request: HttpRequest, form: PasscodeForm, share: Share, *, status: int = 200) -> HttpResponse:
    context = {"form": form, "is_own": request.user.pk == share.user_id}
    return private(render(request, "sharing/passcode.html", context, status=status))
