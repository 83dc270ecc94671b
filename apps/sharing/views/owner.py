"""The owner's pages: the list of shares, a new one, one with its link and openings, and a preview of
what others see.
"""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import reauthentication
from apps.accounts.current_user import current_user
from apps.records import subjects
from apps.records.exporting import choosing
from apps.records.exporting.choosing import Choice
from apps.records.viewing import queries
from apps.sharing import ending, making, owned_shares, showing
from apps.sharing.forms import ShareForm
from apps.sharing.making import AccountClosed, TooMany
from apps.sharing.models import Share
from apps.sharing.showing import PerhapsSeveralPeoples
from apps.sharing.visiting import Over


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_shares(request: HttpRequest) -> HttpResponse:
    """All of them, open ones first."""
    now = timezone.now()
    context = {"shares": owned_shares.of(current_user(request), at=now), "kept_days": ending.KEPT.days}
    return render(request, "sharing/shares.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
@reauthentication.required
def make_share(request: HttpRequest) -> HttpResponse:
    """Ask what to share; POST opens the share."""
    return _make(request) if request.method == "POST" else _ask(request)


def _ask(request: HttpRequest) -> HttpResponse:
    choices = choosing.choices(current_user(request), at=timezone.now())
    only = subjects.find(request.GET.get("only", ""))
    source, person = queries.source(request.GET), queries.person(request.GET)
    return _page(request, choices, ShareForm.of(choices, only=only, source=source, person=person))


def _make(request: HttpRequest) -> HttpResponse:
    user, now = current_user(request), timezone.now()
    choices = choosing.choices(user, at=now)
    form = ShareForm(choices, request.POST)
    if not form.is_valid():
        return _page(request, choices, form, status=422)
    try:
        share = making.make(
            user,
            form.connections,
            frozenset(form.cleaned_data["subjects"]),
            since=form.since(today=timezone.localdate(now)),
            tells_sensitive=form.cleaned_data["sensitive"],
            with_files=form.has_files,
            purpose=form.cleaned_data["purpose"],
            lasts=form.lasts,
            at=now,
        )
    except TooMany:
        form.add_error(None, _("You have too many open shares. End one first."))
        return _page(request, choices, form, status=422)
    except AccountClosed:  # whoever closed it is asked to sign in
        return redirect("make_share")
    return redirect("share", share.pk)


def _page(request: HttpRequest, choices: tuple[Choice, ...], form: ShareForm, *, status: int = 200) -> HttpResponse:
    context = {"choices": choices, "form": form, "is_empty": not any(choice.entries for choice in choices)}
    return render(request, "sharing/make.html", context, status=status)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_share(request: HttpRequest, share_id: UUID) -> HttpResponse:
    """One share, and who came; while it is open, its link and passcode, but only if the password was given a moment
    ago. A stolen session ends; a link that somebody copied from it would not."""
    try:
        one = owned_shares.one(current_user(request), share_id, at=timezone.now())
    except Share.DoesNotExist:
        raise Http404 from None
    context = {
        "given": one.given,
        "is_link_told": one.link is not None and reauthentication.is_recent(request),
        "link": one.link,
        "sources": one.sources,
        "is_of_one_person": one.is_of_one_person,
        "receipts": one.receipts,
    }
    return render(request, "sharing/share.html", context)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
@reauthentication.required
def show_link(_request: HttpRequest, share_id: UUID) -> HttpResponse:
    """Ask for the password, then return to the share, which then shows its link."""
    return redirect("share", share_id)


@require_POST
@login_required
def end_share(request: HttpRequest, share_id: UUID) -> HttpResponse:
    """End it."""
    try:
        ending.end(current_user(request), share_id, at=timezone.now())
    except Share.DoesNotExist:
        raise Http404 from None
    messages.success(request, _("Nobody can get in with this link anymore."))
    return redirect("share", share_id)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def preview_share(request: HttpRequest, share_id: UUID) -> HttpResponse:
    """What others see of it now, or would see if it has ended."""
    now = timezone.now()
    try:
        preview = showing.preview(current_user(request), share_id, file_address=_file_address, at=now)
    except Share.DoesNotExist:
        raise Http404 from None
    except Over as reason:
        context = {"share_id": share_id, "is_of_one_person": not isinstance(reason, PerhapsSeveralPeoples)}
        return render(request, "sharing/nothing_left.html", context, status=404)
    context = {"share": preview.share, "summary": preview.summary, "untold": preview.untold, "now": now}
    return render(request, "sharing/preview.html", context)


def _file_address(record_pk: int, number: int) -> str:
    return reverse("file", args=[record_pk, number])
