"""Activity: who opened or changed what in this person's account, newest first, staff included."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from apps.accounts.current_user import current_user
from apps.portal import happenings


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_activity(request: HttpRequest) -> HttpResponse:
    """A page of what happened; `before` is the number of the last event of the page before."""
    page = happenings.page(current_user(request).pk, before=request.GET.get("before", ""))
    return render(request, "portal/activity.html", {"page": page, "now": timezone.now()})


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_renewals(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Each renewal that one line of the activity page stands for: of one connection, from the event `first` on."""
    first = request.GET.get("first", "")
    before = request.GET.get("before", "")
    page = happenings.renewals_page(current_user(request).pk, connection_id, first=first, before=before)
    if not page.happenings:
        raise Http404
    context = {"page": page, "connection_id": connection_id, "first": first}
    return render(request, "portal/renewals.html", context)
