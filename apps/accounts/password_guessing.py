"""Protect an account whose password is guessed from many addresses: it then takes no password from unknown browsers.

The library's lockout counts failures by account and address together, so an attacker with many addresses has as many
counts. A limit on the account alone would let anybody lock its owner out. So above that limit a browser must have shown
that it is the owner's: by an earlier sign-in, by setting a new password with a mailed code, or by being signed in. A
passkey is no password and always works. (OWASP calls this device cookies.)
"""

from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.http import HttpRequest

from apps.accounts import failed_sign_ins, known_browsers, lockout
from apps.accounts.failed_sign_ins import Method
from apps.accounts.models import User

Credentials = dict[str, Any]


class Handler(AxesDatabaseHandler):  # type: ignore[misc]  # the library has no types
    """The handler of axes, which also refuses when `is_guessed_at` is true. Named in settings."""

    def user_login_failed(
        self, sender: Any, credentials: Credentials, request: HttpRequest | None = None, **kwargs: Any
    ) -> None:
        """Count the failure, and log it if the account exists. Both in one transaction, so that an address with an
        account takes no longer than one without."""
        with transaction.atomic():
            super().user_login_failed(sender, credentials, request, **kwargs)
            if request is not None:
                _note(request, credentials)

    def get_failures(self, request: HttpRequest, credentials: Credentials | None = None) -> int:
        """The failures of account and address together; if the whole account is guessed at, as many as cause a
        lockout."""
        failures = int(super().get_failures(request, credentials))
        if failures < settings.AXES_FAILURE_LIMIT and is_guessed_at(request, credentials):
            lockout.show_other_ways_in(request)
            return int(settings.AXES_FAILURE_LIMIT)
        return failures


def _note(request: Any, credentials: Credentials) -> None:
    account = lockout.account_named(request, credentials)
    user = User.objects.filter(email=account).first()
    if user is None:
        return
    at = request.axes_attempt_time
    is_again = request.user == user
    failed_sign_ins.note_failure(user, Method.PASSWORD_AGAIN if is_again else Method.PASSWORD, at=at)
    if request.axes_locked_out:
        failed_sign_ins.note_lockout(user, at=at)


def is_guessed_at(request: HttpRequest, credentials: Credentials | None = None) -> bool:
    """Whether the account had too many wrong passwords from all addresses together, and this browser is unknown to it.

    The answer is the same for an address without an account, so that the two cannot be told apart.
    """
    account = lockout.account_named(request, credentials)
    attempts = AccessAttempt.objects.filter(username=account, attempt_time__gte=get_cool_off_threshold(request))
    failures = attempts.aggregate(failures=Sum("failures_since_start", default=0))["failures"]
    return failures >= settings.GUESSING_FAILURE_LIMIT and not known_browsers.is_known_to(account, request)
