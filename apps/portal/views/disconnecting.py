"""Disconnect, and delete the copy: a page asks, a POST does it. Whatever deletes requires the password."""

from collections.abc import Callable
from uuid import UUID

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from apps.accounts.current_user import current_user
from apps.connections import tasks
from apps.connections.models import Connection
from apps.portal import disconnection, ended_connections
from apps.portal.disconnection import Disconnected
from apps.portal.ended_connections import Ending
from apps.records.viewing import counting


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
def disconnect(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Ask first; POST with `copy=keep` or `copy=delete` does it. The page `?copy=delete` requires the password."""
    connection = _mine(request, connection_id)
    if connection is None:
        return _over(request, connection_id)
    copy = request.POST.get("copy")
    if copy == "keep":
        return _disconnect(request, connection, keeps_copy=True)
    if copy == "delete":
        return _after_password(request, _disconnect_and_delete, connection, again=f"{request.path}?copy=delete")
    if connection.status == Connection.Status.DISCONNECTED:  # an old tab or bookmark: only the copy is left
        return redirect("delete_copy" if request.GET.get("copy") == "delete" else "connection", connection.pk)
    ask = _ask_after_password if request.GET.get("copy") == "delete" else _ask
    question: HttpResponse = ask(request, connection)
    return question


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
def delete_copy(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Delete the copy of a connection that the patient has ended. While the connection lives, the copy would come
    back."""
    connection = _mine(request, connection_id)
    if connection is None:
        return _over(request, connection_id)
    if connection.status != Connection.Status.DISCONNECTED:
        return redirect("record", connection_id=connection.pk)
    if request.method == "POST":
        return _after_password(request, _delete_copy, connection, again=request.path)
    question: HttpResponse = _ask_to_delete_copy(request, connection)
    return question


def _after_password(
    request: HttpRequest, work: Callable[[HttpRequest, Connection], HttpResponse], connection: Connection, *, again: str
) -> HttpResponse:
    """Do it if the password was given a moment ago. Otherwise redirect to a page that asks for it: the library would
    store this POST, and repeat it as soon as the password is given."""
    try:
        return work(request, connection)
    except ReauthenticationRequired:
        return redirect(again)


def _ask(request: HttpRequest, connection: Connection) -> HttpResponse:
    context = {"connection": connection, "person": disconnection.whose(connection)}
    return render(request, "portal/disconnect.html", context)


@reauthentication_required  # type: ignore[untyped-decorator]  # the library has no types
def _ask_after_password(request: HttpRequest, connection: Connection) -> HttpResponse:
    return _ask(request, connection)


@reauthentication_required  # type: ignore[untyped-decorator]
def _ask_to_delete_copy(request: HttpRequest, connection: Connection) -> HttpResponse:
    entries = counting.listed(connection.user_id, connection_id=connection.pk)
    context = {"connection": connection, "person": disconnection.whose(connection), "entries": entries}
    return render(request, "portal/delete_copy.html", context)


def _disconnect(request: HttpRequest, connection: Connection, *, keeps_copy: bool) -> HttpResponse:
    parted = disconnection.disconnect(connection, keeps_copy=keeps_copy, at=timezone.now())
    tasks.enqueue_telling()
    _tell(request, parted)
    return redirect("connection", connection.pk) if keeps_copy else redirect("connections")


@reauthentication_required  # type: ignore[untyped-decorator]
def _disconnect_and_delete(request: HttpRequest, connection: Connection) -> HttpResponse:
    return _disconnect(request, connection, keeps_copy=False)


@reauthentication_required  # type: ignore[untyped-decorator]
def _delete_copy(request: HttpRequest, connection: Connection) -> HttpResponse:
    disconnection.delete_copy(connection, at=timezone.now())
    messages.success(request, _("Your copy is deleted."))
    return redirect("home")


def _mine(request: HttpRequest, connection_id: UUID) -> Connection | None:
    mine = current_user(request).connections.confirmed().select_related("provider")
    return mine.filter(pk=connection_id).first()


def _over(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """A second press is told that it is done, not that there is no such page."""
    how = ended_connections.how_it_ended(user_id=current_user(request).pk, connection_id=connection_id)
    if how is not Ending.DISCONNECTED:
        raise Http404
    return redirect("connections")


def _tell(request: HttpRequest, parted: Disconnected) -> None:
    """Without the provider's name, because messages are stored in a cookie."""
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
