"""Review the host of an endpoint that a published list added beside a sign-in server that patients use; then switch it
on, or leave it off.
"""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.accounts import reauthentication
from apps.directory import import_waits, switching
from apps.directory.desk import hosts
from apps.directory.models import Endpoint
from apps.portal.desk.staff import actor, staff_only


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def look(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    """Both hosts, and the switch. It requires a recent password, because it lets patients in."""
    rows = Endpoint.objects.select_related("authorization_server").filter(vanished_at__isnull=True)
    endpoint = get_object_or_404(rows, pk=endpoint_id)
    if not endpoint.is_stranger:
        return redirect("desk-begin", endpoint_id=endpoint.pk)
    if request.method == "POST":
        return _switch_on(request, endpoint)
    if "password" in request.GET:
        reauthentication.require_for_staff(request)
    return render(request, "portal/desk/look.html", {"stranger": hosts.of(endpoint), "endpoint": endpoint})


def _switch_on(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    """Only with the authorization server that was shown: it may have changed since."""
    if request.POST.get("server") != str(endpoint.authorization_server_id or ""):
        messages.error(request, _("Where its patients sign in has changed since you looked. Look again."))
        return redirect("desk-look", endpoint_id=endpoint.pk)
    if not reauthentication.is_recent_for_staff(request):
        messages.info(request, _("Nothing was changed yet. Enter your password again, then do this again."))
        return redirect(f"{request.path}?password=1")
    with import_waits.briefly():
        switching.switch_endpoint(endpoint, is_on=True, actor=actor(request), at=timezone.now())
    stranger = hosts.of(endpoint)
    messages.success(
        request,
        _("Switched on: records at %(records)s, signing in at %(sign_in)s.")
        % {"records": stranger.record_host, "sign_in": ", ".join(stranger.sign_in_hosts)},
    )
    return redirect("desk")
