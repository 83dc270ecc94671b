"""What the pages of staff want before they open: that whoever works there signs in with more than a password.

They see who is a patient of whom, take lost second steps from others, and keep the secrets that providers gave us.
Where an account has neither codes from an app nor a passkey, these pages lead to where either is set up; recovery codes
alone are none.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from apps.accounts.models import User

_STEPS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def is_missing(user: User) -> bool:
    """Whether this member of staff has to set one up first. An installation may do without."""
    return settings.STAFF_NEED_SECOND_STEP and not get_adapter().is_mfa_enabled(user, _STEPS)


def ask(request: HttpRequest) -> HttpResponse:
    """To where it is set up, and why. What was asked for or sent is not done."""
    messages.info(request, _("Who works here signs in with a second step or a passkey. Set one up, then come back."))
    return redirect("mfa_index")


def required(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view to which staff are led that may not come in."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = request.user
        if isinstance(user, User) and user.is_staff and is_missing(user):
            return ask(request)
        return view(request, *args, **kwargs)

    return answered
