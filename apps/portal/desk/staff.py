"""Who may use the desk. For all others who are signed in there is none; whoever is not is asked to sign in.

To work here is not enough, as in the admin: it takes an account with a second step, and looking needs the permission to
view client registrations, every step the one to change them. What lets patients in, or a secret, needs a password given
lately too.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from allauth.account import app_settings
from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from apps.accounts import second_step_first
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
        if second_step_first.is_missing(user):
            return second_step_first.ask(request)
        if not (may_change(user) or (request.method != "POST" and user.has_perm(_LOOKS))):
            context = {"may_look": user.has_perm(_LOOKS)}
            return render(request, "portal/desk/not_allowed.html", context, status=403)
        return view(request, *args, **kwargs)

    return cast("View[P]", checked)  # as its decorators leave it, with the arguments it had


def may_change(user: User) -> bool:
    """Whether this member of staff may take steps."""
    return user.has_perm(_CHANGES)


def gave_password_lately(request: HttpRequest) -> bool:
    """Whether whoever sits there proved it a moment ago, by signing in or once more since."""
    records = get_authentication_records(request, current_user(request))
    return any(time.time() - record["at"] < app_settings.REAUTHENTICATION_TIMEOUT for record in records)


def ask_for_password(request: HttpRequest) -> None:
    """Raise what makes allauth ask for it and come back to this address. For GET alone: it would keep a POST in the
    session, with the secret in it, and repeat it."""
    if not gave_password_lately(request):
        raise ReauthenticationRequired


def actor(request: HttpRequest) -> Actor:
    """Who is at the desk."""
    return Actor.staff(current_user(request).pk)
