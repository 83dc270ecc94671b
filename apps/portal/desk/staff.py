"""Who may use the desk. For all others who are signed in there is none; whoever is not is asked to sign in."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from apps.accounts.current_user import current_user
from apps.audit.recording import Actor

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def staff_only(view: View[P]) -> View[P]:
    """For views of the desk."""

    @login_required
    @never_cache
    @wraps(view)
    def checked(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not current_user(request).is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return cast("View[P]", checked)  # as its decorators leave it, with the arguments it had


def actor(request: HttpRequest) -> Actor:
    """Who is at the desk."""
    return Actor.staff(current_user(request).pk)
