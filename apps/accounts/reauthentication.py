"""Views that want the password, unless it was given a moment ago; and whether it was.

Patients give it anew, although they signed in a moment ago: what they take away outlives the session. Of staff, who
sign in with a second step, signing in counts.
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
    """Decorate a view for somebody signed in whose page asks for what its POST does, at one address. Who opens the page
    comes back to it. After a POST they are led to the page once more: left to the library, the press would be kept with
    all that it sends, and repeated as soon as the password is given."""
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
    """Whether somebody signed in gave the password a moment ago: for a page that tells more then."""
    try:
        reauthentication_required(lambda _request: None)(request)
    except ReauthenticationRequired:
        return False
    return True


def is_recent_for_staff(request: HttpRequest) -> bool:
    """Whether the member of staff who sits there proved it a moment ago, by signing in or once more since."""
    records = get_authentication_records(request, current_user(request))
    return any(time.time() - record["at"] < app_settings.REAUTHENTICATION_TIMEOUT for record in records)


def require_for_staff(request: HttpRequest) -> None:
    """Raise what makes allauth ask for it and come back to this address, unless it was given. For GET alone: a POST
    would be kept in the session, with the secret in it, and repeated."""
    if not is_recent_for_staff(request):
        raise ReauthenticationRequired
