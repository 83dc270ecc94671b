"""My connections: the list, one of them, and disconnect."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.current_user import current_user
from apps.connections import disconnecting, standing
from apps.connections.disconnecting import Disconnected
from apps.connections.models import Connection


@login_required
@never_cache
@require_safe
def show_list(request: HttpRequest) -> HttpResponse:
    """Every connection, those that need the patient first."""
    standings = standing.of_user(current_user(request), at=timezone.now())
    return render(request, "connections/list.html", {"standings": standings})


@login_required
@never_cache
@require_safe
def show_one(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """One connection: how it stands, its dates, and what can be done."""
    connection = _mine(request, connection_id)
    return render(request, "connections/one.html", {"standing": standing.of_connection(connection, at=timezone.now())})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def disconnect(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Ask first; POST with `copy=keep` or `copy=delete` ends it."""
    connection = _mine(request, connection_id)
    copy = request.POST.get("copy")
    if request.method == "POST" and copy in {"keep", "delete"}:
        done = disconnecting.disconnect(connection, keeps_copy=copy == "keep", at=timezone.now())
        _tell(request, done)
        return redirect("connection", connection_id) if done.keeps_copy else redirect("connections")
    return render(request, "connections/disconnect.html", {"connection": connection})


def _mine(request: HttpRequest, connection_id: UUID) -> Connection:
    mine = current_user(request).connections.confirmed().select_related("provider", "endpoint")
    return get_object_or_404(mine, pk=connection_id)


def _tell(request: HttpRequest, done: Disconnected) -> None:
    """Without the provider's name: messages travel in a cookie."""
    copy = _("Your copy is kept.") if done.keeps_copy else _("Your copy is deleted.")
    if done.is_revoked_at_provider:
        messages.success(request, _("Disconnected. We also told them to end the permission.") + f" {copy}")
        return
    doubt = _(
        "Disconnected here. They did not confirm that the permission ended: to be sure, remove Holdfast in their "
        "portal under connected apps."
    )
    messages.warning(request, f"{doubt} {copy}")
