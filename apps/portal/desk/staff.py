"""Who may use the desk. For other signed-in users it does not exist; anybody else is asked to sign in.

As in the admin, being staff is not enough: the account needs a second step. Looking requires the permission to view
client registrations, every step the permission to change them. Whatever stores a secret, lets patients in or shuts them
out also requires a recent password, as every change in the admin does (`apps.accounts.reauthentication`).

A step that meets a directory import waits for it, but not for long (`apps.directory.import_waits`).
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from apps.accounts import staff_second_step
from apps.accounts.current_user import current_user
from apps.accounts.models import User
from apps.audit.recording import Actor
from apps.directory import import_waits

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

_CHANGES = "directory.change_clientregistration"
_LOOKS = "directory.view_clientregistration"


def staff_only(view: View[P]) -> View[P]:
    """Decorate a view of the desk. A POST requires the permission to change client registrations. If an import keeps it
    from being done, the same URL says so."""

    @login_required
    @never_cache
    @wraps(view)
    def checked(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        user = current_user(request)
        if not user.is_staff:
            raise Http404
        if staff_second_step.is_missing(user):
            return staff_second_step.ask(request)
        if not (may_change(user) or (request.method != "POST" and user.has_perm(_LOOKS))):
            context = {"may_look": user.has_perm(_LOOKS)}
            return render(request, "portal/desk/not_allowed.html", context, status=403)
        try:
            return view(request, *args, **kwargs)
        except import_waits.StillImporting:
            messages.warning(request, import_waits.NOT_DONE_YET)
            return redirect(request.get_full_path())

    return cast("View[P]", checked)  # the decorators lose its signature


def may_change(user: User) -> bool:
    """Whether this member of staff may take steps."""
    return user.has_perm(_CHANGES)


def actor(request: HttpRequest) -> Actor:
    """The member of staff at the desk."""
    return Actor.staff(current_user(request).pk)
