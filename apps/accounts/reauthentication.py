"""Views that require a recent password, and whether it was given.

Patients must give it again even if they have just signed in, because what they take away outlives the session. For
staff, who sign in with a second step, signing in counts.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from allauth.account import app_settings
from allauth.account.authentication import get_authentication_records
from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from apps.accounts.current_user import current_user

_P = ParamSpec("_P")
_Answer = TypeVar("_Answer", bound=HttpResponseBase)


def required(
    view: Callable[Concatenate[HttpRequest, _P], _Answer],
) -> Callable[Concatenate[HttpRequest, _P], _Answer | HttpResponseBase]:
    """Decorate a view for signed-in users that shows a page on GET and does its work on POST, at one address.

    On GET, the person gives the password and comes back to the page. On POST, they are redirected to the page to start
    again: the library would store the POST with all its data, and repeat it as soon as the password is given.
    """
    guarded = reauthentication_required(view)

    @wraps(view)
    def answered(request: HttpRequest, /, *args: _P.args, **kwargs: _P.kwargs) -> HttpResponseBase:
        try:
            answer: HttpResponseBase = guarded(request, *args, **kwargs)
        except ReauthenticationRequired:
            if request.method != "POST":
                raise
            return redirect(request.path)
        return answer

    return answered


def is_recent(request: HttpRequest) -> bool:
    """Whether the signed-in person gave the password a moment ago; for a page that then shows more."""
    try:
        reauthentication_required(lambda _request: None)(request)
    except ReauthenticationRequired:
        return False
    return True


def is_recent_for_staff(request: HttpRequest) -> bool:
    """Whether this member of staff authenticated a moment ago, by signing in or again since."""
    records = get_authentication_records(request, current_user(request))
    return any(time.time() - record["at"] < app_settings.REAUTHENTICATION_TIMEOUT for record in records)


def require_for_staff(request: HttpRequest) -> None:
    """Raise what makes allauth ask for the password and return to this address, unless it was given. For GET only: a
    POST would be stored in the session, including any secret in it, and repeated."""
    if not is_recent_for_staff(request):
        raise ReauthenticationRequired
