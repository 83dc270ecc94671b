"""Staff pages require that their user signs in with more than a password.

These pages show who is a patient of whom, let staff remove lost second steps of others, and hold the secrets that
providers gave us. Staff without an authenticator app or a passkey are sent to the page that sets one up; recovery codes
alone are not enough.
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
    """Whether this member of staff still has to set up a second step. An installation can turn this rule off."""
    return settings.STAFF_NEED_SECOND_STEP and not get_adapter().is_mfa_enabled(user, _STEPS)


def ask(request: HttpRequest) -> HttpResponse:
    """Redirect to where a second step is set up, and say why. The request itself is not carried out."""
    messages.info(
        request, _("Everyone who works here signs in with a second step or a passkey. Set one up, then come back.")
    )
    return redirect("mfa_index")


def required(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view for staff; those without a second step are sent to set one up first."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = request.user
        if isinstance(user, User) and user.is_staff and is_missing(user):
            return ask(request)
        return view(request, *args, **kwargs)

    return answered
