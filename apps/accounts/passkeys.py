"""A passkey that opens an account by itself: by finger, face or PIN, whatever was asked for before.

As a second step a touch is enough. The library keeps what it asked of the browser in the session, without saying for
which of the two, and an answer to the one would be taken for the other: a key that its owner lost would open the
account to whoever knows no password.
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
    """The library's, which also wants what the key itself signed: that it knew who held it."""

    def clean_credential(self) -> Authenticator:
        """The passkey. Raises ValidationError where it is not right, or was only touched."""
        with _accepting():
            if not _is_verified(self.cleaned_data["credential"]):
                raise get_adapter().validation_error("incorrect_code")
            passkey: Authenticator = super().clean_credential()
            return passkey


class AuthenticateWebAuthnForm(forms.AuthenticateWebAuthnForm):  # type: ignore[misc]  # as above
    """The second step of signing in."""

    def clean_credential(self) -> Authenticator:
        """The passkey. Raises ValidationError where it is not right."""
        with _accepting():
            passkey: Authenticator = super().clean_credential()
            return passkey


class ReauthenticateWebAuthnForm(forms.ReauthenticateWebAuthnForm):  # type: ignore[misc]  # as above
    """A passkey again, before something that matters."""

    def clean_credential(self) -> Authenticator:
        """The passkey. Raises ValidationError where it is not right."""
        with _accepting():
            passkey: Authenticator = super().clean_credential()
            return passkey


@contextmanager
def refused_as(words: str) -> Iterator[None]:
    """Say so of a passkey what the library says of a code: that it is not right, and that one waits for the next."""
    try:
        yield
    except ValidationError as error:
        if error.code != "incorrect_code":
            raise
        raise ValidationError(words, code=error.code) from None


def _accepting() -> AbstractContextManager[None]:
    """One that was removed meanwhile, or was asked for again in another tab, whose question is the one that counts."""
    return refused_as(_("We could not accept this passkey. It may have been removed. Try again, or use another way."))


def _is_verified(unverified_answer: Any) -> bool:
    try:
        answer = parse_authentication_response(unverified_answer)
    except KeyError:  # of an answer without an id of its own, which the library lets through
        return False
    return bool(answer.response.authenticator_data.is_user_verified())
