"""Activity: who opened or changed what in this person's account, newest first, staff included; also as a file."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import breaches
from apps.accounts.current_user import current_user
from apps.portal import activity, activity_export
from apps.records.exporting.admitting import TooMany
from apps.records.exporting.stored import DeletedMeanwhile

_MINUTES = 60


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_activity(request: HttpRequest) -> HttpResponse:
    """One page; `before` is the number of the last event on the page before."""
    user, before = current_user(request), request.GET.get("before", "")
    told = () if before else breaches.read(user)
    page = activity.page(user.pk, before=before)
    return render(request, "portal/activity.html", {"page": page, "breach_notices": told})


@require_POST
@login_required
@cache_control(no_store=True, private=True)
def save_activity(request: HttpRequest) -> HttpResponseBase:
    """All of it, as a file for a spreadsheet; only one's own.

    No password is required, unlike for a copy of the record: somebody with an open session can read the same text on
    the page, all the way back, and the file says nothing more. Saving is logged, while reading is not, so it is a POST:
    no link from somebody else can make a file, or a line in the log. It is limited per hour as copies are, and so is
    how long it may occupy a thread.
    """
    user, at = current_user(request), timezone.now()
    try:
        pieces = activity_export.take(user, at=at)
    except TooMany:
        return render(request, "429.html", {"minutes": _MINUTES}, status=429)
    except DeletedMeanwhile:  # the account is closed: redirect to signing in
        return redirect("activity")
    name = f"holdfast-activity-{timezone.localdate(at):%Y-%m-%d}.csv"
    attached = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(pieces, content_type="text/csv; charset=utf-8", headers=attached)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_renewals(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """The renewals that one line of the activity page stands for: of one connection, from the event `first` on."""
    first = request.GET.get("first", "")
    before = request.GET.get("before", "")
    page = activity.renewals_page(current_user(request).pk, connection_id, first=first, before=before)
    if not page.lines:
        raise Http404
    context = {"page": page, "connection_id": connection_id, "first": first}
    return render(request, "portal/renewals.html", context)
