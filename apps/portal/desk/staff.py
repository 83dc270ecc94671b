"""Who may use the desk. For all others who are signed in there is none; whoever is not is asked to sign in.

To work here is not enough, as in the admin: it takes an account with a second step, and looking needs the permission to
view client registrations, every step the one to change them. What keeps a secret, lets patients in or shuts them out
needs a password given lately too, as every change in the admin does (`apps.accounts.reauthentication`).
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from apps.accounts import staff_second_step
from apps.accounts.current_user import current_user
from apps.accounts.models import User
from apps.audit.recording import Actor

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

_CHANGES = "directory.change_clientregistration"
_LOOKS = "directory.view_clientregistration"


def staff_only(view: View[P]) -> View[P]:
    """For views of the desk. A POST is taken from those who may change client registrations."""

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
        return view(request, *args, **kwargs)

    return cast("View[P]", checked)  # as its decorators leave it, with the arguments it had


def may_change(user: User) -> bool:
    """Whether this member of staff may take steps."""
    return user.has_perm(_CHANGES)


def actor(request: HttpRequest) -> Actor:
    """Who is at the desk."""
    return Actor.staff(current_user(request).pk)
