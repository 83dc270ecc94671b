"""Which developer is signed in in this browser. Portal, console and system accounts share one account.

An e-mail address is enough (specification 1.7): no message is sent and no password asked, because nothing here needs
protection.
"""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from apps.sandbox.models import Developer
from apps.sandbox.registration import RequestRefused

_KEY = "developer"
_LONGEST = 254

Rest = ParamSpec("Rest")


def sign_in(request: HttpRequest, email: str, *, at: datetime) -> tuple[Developer, bool]:
    """Sign in the developer with this address; returns them, and whether they are new. Raises RequestRefused."""
    address = email.strip().lower()
    try:
        validate_email(address)
    except ValidationError:
        address = ""
    if not address or len(address) > _LONGEST or "\0" in address:
        raise RequestRefused("Write an e-mail address, such as name@example.org.", "email")
    developer, is_new = Developer.objects.get_or_create(email=address, defaults={"signed_up_at": at})
    request.session.cycle_key()
    request.session[_KEY] = developer.pk
    return developer, is_new


def developer(request: HttpRequest) -> Developer | None:
    """The developer who is signed in."""
    return Developer.objects.filter(pk=request.session.get(_KEY, 0)).first()


def forget(request: HttpRequest) -> None:
    """Sign out."""
    request.session.pop(_KEY, None)


def for_developers(
    view: Callable[Concatenate[HttpRequest, Developer, Rest], HttpResponse],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponse]:
    """Decorate a view that gets the signed-in developer; anybody else is sent to sign in, and comes back."""

    @wraps(view)
    def signed_in_view(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        who = developer(request)
        if who is None:
            return redirect(f"{reverse('developer-sign-in')}?{urlencode({'next': request.path})}")
        return view(request, who, *args, **kwargs)

    return signed_in_view
