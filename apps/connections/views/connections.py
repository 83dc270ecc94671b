"""My connections: the list, and one of them. Disconnecting needs the copy's app too: `apps.portal.disconnection`."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.current_user import current_user
from apps.connections import clocks
from apps.connections.lapse_warnings import muting
from apps.connections.models import Connection
from apps.connections.presenting import connection_page, standing


@login_required
@never_cache
@require_safe
def show_list(request: HttpRequest) -> HttpResponse:
    """Every connection, those that need the patient first."""
    standings = standing.of_user(current_user(request), at=clocks.now())
    return render(request, "connections/list.html", {"standings": standings})


@login_required
@never_cache
@require_safe
def show_one(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """One connection: its state, its dates, and what can be done."""
    try:
        shown = connection_page.show(current_user(request), connection_id, at=clocks.now())
    except Connection.DoesNotExist:
        raise Http404 from None
    return render(request, "connections/one.html", {"shown": shown, "standing": shown.standing})


@login_required
@require_POST
def mute(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Mail before its end, or none: `is_muted=yes` or anything else."""
    connection = get_object_or_404(current_user(request).connections.confirmed(), pk=connection_id)
    muting.mute(connection, is_muted=request.POST.get("is_muted") == "yes", at=clocks.now())
    return redirect("connection", connection.pk)
