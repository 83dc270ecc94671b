"""Compare the old and new addresses of an endpoint that moved; then let its links follow, or take that back."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.accounts import reauthentication
from apps.connections import moving
from apps.directory import import_waits
from apps.directory.models import Endpoint
from apps.directory.moving import Addresses
from apps.portal.desk.staff import actor, staff_only


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def look(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    """Old and new addresses, and one button. It requires a recent password, because tokens will be sent to the new
    addresses."""
    rows = Endpoint.objects.select_related("authorization_server", "moved_from")
    endpoint = get_object_or_404(rows, pk=endpoint_id)
    if request.method == "POST":
        return _act(request, endpoint)
    move = moving.look(endpoint)
    if move is None:
        return redirect("desk")
    if "password" in request.GET:
        reauthentication.require_for_staff(request)
    return render(request, "portal/desk/move.html", {"move": move, "endpoint": endpoint})


def _act(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    there = redirect("desk-move", endpoint_id=endpoint.pk)
    if not reauthentication.is_recent_for_staff(request):
        messages.info(request, _("Nothing was changed yet. Enter your password again, then do this again."))
        return redirect(f"{request.path}?password=1")
    at = timezone.now()
    try:
        if "withdraw" in request.POST:
            moving.withdraw(endpoint, actor=actor(request), at=at)
            messages.success(request, _("Taken back: nothing is sent there any more."))
            return there
        seen = Addresses(request.POST.get("authorize_url", ""), request.POST.get("token_url", ""))
        import_waits.wait()
        moving.approve(endpoint, seen=seen, actor=actor(request), at=at)
    except moving.LeadsElsewhere:
        messages.error(
            request, _("Nothing was changed: it now leads to different addresses than those you saw. Look again.")
        )
    except moving.NotAsked:
        messages.error(request, _("Nothing was changed: we could not ask it where it leads now. Try again later."))
    except moving.NotApproved:
        messages.error(request, _("Nothing was changed: there is no longer anything to approve or to take back."))
    else:
        messages.success(request, _("Approved. Links continue there with the permissions they have."))
    return there
