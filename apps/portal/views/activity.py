"""Activity: who opened or changed what in this person's account, newest first, staff included."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
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
