"""Disconnect, and delete the copy: asked first, then done by a POST."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from apps.accounts.current_user import current_user
from apps.connections import tasks
from apps.connections.models import Connection
from apps.portal import endings, parting
from apps.portal.endings import Ending
from apps.portal.parting import Parted


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
def disconnect(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Ask first; POST with `copy=keep` or `copy=delete` ends it."""
    connection = _mine(request, connection_id)
    if connection is None:
        return _over(request, connection_id)
    copy = request.POST.get("copy")
    if request.method == "POST" and copy in {"keep", "delete"}:
        parted = parting.disconnect(connection, keeps_copy=copy == "keep", at=timezone.now())
        tasks.enqueue_telling()
        _tell(request, parted)
        return redirect("connection", connection_id) if parted.keeps_copy else redirect("connections")
    return render(request, "portal/disconnect.html", {"connection": connection})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
def delete_copy(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Delete what was kept of a connection that the patient ended. While it lives, the copy would only come back."""
    connection = _mine(request, connection_id)
    if connection is None:
        return _over(request, connection_id)
    if connection.status != Connection.Status.DISCONNECTED:
        return redirect("record", connection_id=connection.pk)
    if request.method != "POST":
        context = {"connection": connection, "entries": connection.records.count()}
        return render(request, "portal/delete_copy.html", context)
    entries = parting.delete_copy(connection, at=timezone.now())
    said = ngettext("Deleted: %(count)d entry.", "Deleted: %(count)d entries.", entries)
    messages.success(request, said % {"count": entries})
    return redirect("home")


def _mine(request: HttpRequest, connection_id: UUID) -> Connection | None:
    mine = current_user(request).connections.confirmed().select_related("provider")
    return mine.filter(pk=connection_id).first()


def _over(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """The second press finds done what the first did, and not that there is no such page."""
    how = endings.ending(user_id=current_user(request).pk, connection_id=connection_id)
    if how is not Ending.DISCONNECTED:
        raise Http404
    return redirect("connections")


def _tell(request: HttpRequest, parted: Parted) -> None:
    """Without the provider's name: messages travel in a cookie."""
    copy = _("Your copy is kept.") if parted.keeps_copy else _("Your copy is deleted.")
    if parted.provider_is_told is None:
        messages.success(request, _("Disconnected.") + f" {copy}")
        return
    if parted.provider_is_told:
        said = _("Disconnected. Our access here ended, and we are telling them to end the permission.")
        messages.success(request, f"{said} {copy}")
        return
    doubt = _(
        "Disconnected here. They gave us no way to tell them: to be sure, remove Holdfast in their portal under "
        "connected apps."
    )
    messages.warning(request, f"{doubt} {copy}")
