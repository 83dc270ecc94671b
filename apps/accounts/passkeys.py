"""A passkey that signs somebody in by itself must verify the user (by finger, face or PIN), whatever the browser was
asked for.

As a second step a touch is enough. The library stores its challenge in the session without saying for which of the two
uses it is, so the answer to one would be accepted for the other: a lost key would open the account to somebody who
knows no password.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms
from allauth.mfa.webauthn.internal.auth import parse_authentication_response
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


class LoginWebAuthnForm(forms.LoginWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """The library's form; it also requires that the key itself has signed that it verified the user."""

    def clean_credential(self) -> Authenticator:
        """The passkey. Raises ValidationError if it is wrong, or was only touched."""
        with _accepting():
            if not _is_verified(self.cleaned_data["credential"]):
                raise get_adapter().validation_error("incorrect_code")
            passkey: Authenticator = super().clean_credential()
            return passkey


class AuthenticateWebAuthnForm(forms.AuthenticateWebAuthnForm):  # type: ignore[misc]  # as above
    """The second step of signing in."""

    def clean_credential(self) -> Authenticator:
        """The passkey. Raises ValidationError if it is wrong."""
        with _accepting():
            passkey: Authenticator = super().clean_credential()
            return passkey


class ReauthenticateWebAuthnForm(forms.ReauthenticateWebAuthnForm):  # type: ignore[misc]  # as above
    """A passkey again, before a sensitive action."""

    def clean_credential(self) -> Authenticator:
        """The passkey. Raises ValidationError if it is wrong."""
        with _accepting():
            passkey: Authenticator = super().clean_credential()
            return passkey


@contextmanager
def refused_as(words: str) -> Iterator[None]:
    """Replace the library's message for a wrong code, which tells people to wait for the next one, with `words`."""
    try:
        yield
    except ValidationError as error:
        if error.code != "incorrect_code":
            raise
        raise ValidationError(words, code=error.code) from None


def _accepting() -> AbstractContextManager[None]:
    """For a passkey that was removed meanwhile, or whose challenge was replaced by one from another tab."""
    return refused_as(_("We could not accept this passkey. It may have been removed. Try again, or use another way."))


def _is_verified(unverified_answer: Any) -> bool:
    try:
        answer = parse_authentication_response(unverified_answer)
    except KeyError:  # the answer has no id, which the library does not check
        return False
    return bool(answer.response.authenticator_data.is_user_verified())
