"""Home: a welcome for whoever is signed out, and for everybody else what needs them and what is new."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts.current_user import current_user
from apps.connections import clocks
from apps.portal import homepage
from apps.records.subjects import LISTED


@require_safe
def show_home(request: HttpRequest) -> HttpResponse:
    """The page behind the name in the header."""
    if not request.user.is_authenticated:
        return render(request, "portal/welcome.html")
    now = clocks.now()
    context = {"home": homepage.of(current_user(request), at=now), "subjects": LISTED, "now": now}
    return render(request, "portal/home.html", context)
