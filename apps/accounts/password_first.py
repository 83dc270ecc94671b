"""Views that want the password, unless it was given a moment ago; and whether it was."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

_P = ParamSpec("_P")
_Answer = TypeVar("_Answer", bound=HttpResponseBase)


def password_first(
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


def was_given(request: HttpRequest) -> bool:
    """Whether somebody signed in gave the password a moment ago: for a page that tells more then."""
    try:
        reauthentication_required(lambda _request: None)(request)
    except ReauthenticationRequired:
        return False
    return True
