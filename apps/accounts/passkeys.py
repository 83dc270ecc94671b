"""A passkey that opens an account by itself: by finger, face or PIN, whatever was asked for before.

As a second step a touch is enough. The library keeps what it asked of the browser in the session, without saying for
which of the two, and an answer to the one would be taken for the other: a key that its owner lost would open the
account to whoever knows no password.
"""

from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms
from allauth.mfa.webauthn.internal.auth import parse_authentication_response


class LoginWebAuthnForm(forms.LoginWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """The library's, which also wants what the key itself signed: that it knew who held it."""

    def clean_credential(self) -> Authenticator:
        """The passkey. Raises ValidationError where it is not right, or was only touched."""
        if not _is_verified(self.cleaned_data["credential"]):
            raise get_adapter().validation_error("incorrect_code")
        passkey: Authenticator = super().clean_credential()
        return passkey


def _is_verified(unverified_answer: Any) -> bool:
    try:
        answer = parse_authentication_response(unverified_answer)
    except KeyError:  # of an answer without an id of its own, which the library lets through
        return False
    return bool(answer.response.authenticator_data.is_user_verified())
