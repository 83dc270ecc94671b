"""Try system access: choose an endpoint, request a token of our own there, and see what it would permit."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.connections.trials import beginning, system_trials
from apps.connections.trials.system_trials import Tried
from apps.connections.views import waiting_room
from apps.directory import registration_overview
from apps.directory.models import ClientRegistration, Endpoint
from apps.portal.desk.staff import actor, staff_only
from apps.portal.desk.trials import BUSY, MOST_LISTED


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def try_out(request: HttpRequest, registration_id: UUID) -> HttpResponse:
    """Choose an endpoint; POST requests one token and shows the result. Nothing is stored."""
    rows = ClientRegistration.objects.select_related("authorization_server", "system_account")
    registration = get_object_or_404(rows, pk=registration_id)
    if request.method != "POST":
        return _page(request, registration, None)
    endpoint = registration_overview.endpoint(registration, request.POST.get("endpoint", ""))
    if endpoint is None:
        messages.error(request, _("Choose one of these endpoints."))
        return redirect("desk-try-system", registration_id=registration.pk)
    with waiting_room.ROOM.seat(endpoint.pk) as is_free:
        if not is_free:
            messages.warning(request, BUSY)
            return redirect("desk-try-system", registration_id=registration.pk)
        return _ask(request, registration, endpoint)


def _ask(request: HttpRequest, registration: ClientRegistration, endpoint: Endpoint) -> HttpResponse:
    try:
        tried = system_trials.try_out(registration, endpoint, actor=actor(request), at=timezone.now())
    except beginning.NotServed:
        messages.error(request, _("This registration does not serve that endpoint any more."))
        return redirect("desk-try-system", registration_id=registration.pk)
    return _page(request, registration, tried)


def _page(request: HttpRequest, registration: ClientRegistration, tried: Tried | None) -> HttpResponse:
    endpoints = registration_overview.endpoints(registration, most=MOST_LISTED, query=request.GET.get("q", ""))
    context = {
        "registration": registration,
        "endpoints": endpoints,
        "chosen": str(tried.endpoint.pk) if tried else request.GET.get("endpoint", ""),
        "query": request.GET.get("q", ""),
        "way": system_trials.way(endpoints[0], at=timezone.now()) if endpoints else None,
        "tried": tried,
    }
    return render(request, "portal/desk/try_system.html", context)
