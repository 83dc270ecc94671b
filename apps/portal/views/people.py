"""People: whose records an account has."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from apps.accounts.current_user import current_user
from apps.connections import clocks
from apps.connections.presenting import standing
from apps.portal import people
from apps.vault import sealing
from apps.vault.sealing import Holder


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_people(request: HttpRequest) -> HttpResponse:
    """Each person with their providers, and where to go from there. No record is opened for it."""
    user, now = current_user(request), clocks.now()
    with sealing.key_ring(Holder.user(user.pk)) as ring:
        shown = people.of(standing.of_user(user, at=now, ring=ring), ring)
    return render(request, "portal/people.html", {"people": shown, "now": now})
