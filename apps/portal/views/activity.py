"""Activity: who opened or changed what in this person's account, newest first, staff included; and all of it as
a file."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.current_user import current_user
from apps.portal import activity, activity_export
from apps.records.exporting.admitting import TooMany
from apps.records.exporting.stored import DeletedMeanwhile

_MINUTES = 60


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_activity(request: HttpRequest) -> HttpResponse:
    """A page of what happened; `before` is the number of the last event of the page before."""
    page = activity.page(current_user(request).pk, before=request.GET.get("before", ""))
    return render(request, "portal/activity.html", {"page": page, "now": timezone.now()})


@require_POST
@login_required
@cache_control(no_store=True, private=True)
def save_activity(request: HttpRequest) -> HttpResponseBase:
    """All of it, as a file for a spreadsheet, and only one's own.

    Without the password, unlike a copy of the record: whoever has somebody's open session reads the same words on the
    page, all the way back, and the file says nothing more. That it was taken is written down, which reading is not, and
    so it is a button: no address that somebody else sends makes a file, or a line of the log. As often in an hour as a
    copy; a thread is held no longer.
    """
    user, at = current_user(request), timezone.now()
    try:
        pieces = activity_export.take(user, at=at)
    except TooMany:
        return render(request, "429.html", {"minutes": _MINUTES}, status=429)
    except DeletedMeanwhile:  # whoever closed the account is asked to sign in
        return redirect("activity")
    name = f"holdfast-activity-{timezone.localdate(at):%Y-%m-%d}.csv"
    attached = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(pieces, content_type="text/csv; charset=utf-8", headers=attached)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_renewals(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Each renewal that one line of the activity page stands for: of one connection, from the event `first` on."""
    first = request.GET.get("first", "")
    before = request.GET.get("before", "")
    page = activity.renewals_page(current_user(request).pk, connection_id, first=first, before=before)
    if not page.lines:
        raise Http404
    context = {"page": page, "connection_id": connection_id, "first": first}
    return render(request, "portal/renewals.html", context)
