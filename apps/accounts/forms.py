"""allauth's forms with our labels and hints; passwords are typed only once.

Almost only texts change here. Validation stays the library's.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from allauth.account import forms as account
from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as mfa
from allauth.mfa.models import Authenticator
from allauth.mfa.totp import forms as totp
from allauth.mfa.webauthn import forms as webauthn
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.forms import BooleanField
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.accounts import failed_sign_ins, passkeys, purging, signing_in, unfinished, used_codes
from apps.accounts.failed_sign_ins import Method
from apps.accounts.models import User

Words = tuple[Promise | str, Promise | str]  # label, hint

EMAIL = (_("E-mail address"), "")
PASSWORD = (_("Password"), "")
NEW_PASSWORD_HINT = _("At least 12 characters. A short sentence is good. You can paste it from a password manager.")
MAILED_CODE = (_("Code"), _("Capital or small letters, with or without the dash."))
APP_CODE = (_("Code from your app"), _("Or one of your recovery codes."))
RECOVERY_CODE = (_("Recovery code"), "")
# A code is not a word: a phone that corrects it makes it wrong.
AS_TYPED = {"autocapitalize": "none", "autocorrect": "off", "spellcheck": "false"}


def _call(field: Any, words: Words) -> None:
    field.label, field.help_text = words
    # the error summary is separate from the fields, so "This field is required." would not say which
    field.error_messages["required"] = format_lazy(_("Missing: {label}"), label=field.label)


class OurLabels:
    """Mixin: `words` has label and hint for each field, `left_out` the fields that we do not show."""

    words: ClassVar[Mapping[str, Words]] = {}
    left_out: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields  # type: ignore[attr-defined]
        for name in self.left_out:
            del fields[name]
        for name, words in self.words.items():
            if name in fields:
                _call(fields[name], words)
        if "code" in fields:
            fields["code"].widget.attrs.update(AS_TYPED)


class LoginForm(OurLabels, account.LoginForm):
    """Sign in."""

    words = {"login": EMAIL, "password": PASSWORD}


class SignupForm(OurLabels, account.SignupForm):
    """Create an account: address, password, and the first name of `FirstNameForm`."""

    field_order = ["first_name", "email", "password1"]
    words = {
        "email": (_("E-mail address"), _("We will send a code to this address, to make sure it is yours.")),
        "password1": (_("Password"), NEW_PASSWORD_HINT),
    }

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Take as long for a known address as for a new one, which would otherwise differ by the slow hash of a new
        password."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        saved: tuple[User | None, HttpResponse | None] = super().try_save(request)
        return saved


class AddEmailForm(OurLabels, account.AddEmailForm):
    """Change the address of the account."""

    words = {
        "email": (
            _("New e-mail address"),
            _("We will send a code to this address. Nothing changes until you enter it."),
        )
    }


class ChangePasswordForm(OurLabels, account.ChangePasswordForm):
    """Change the password: the current one, and the new one once."""

    words = {"oldpassword": (_("Current password"), ""), "password1": (_("New password"), NEW_PASSWORD_HINT)}
    left_out = ("password2",)


class SetPasswordForm(OurLabels, account.SetPasswordForm):
    """A first password for an account that has none."""

    words = {"password1": (_("New password"), NEW_PASSWORD_HINT)}
    left_out = ("password2",)


class ResetPasswordForm(OurLabels, account.ResetPasswordForm):
    """Ask for a code to reset the password."""

    words = {"email": EMAIL}

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Mail the code. It is right for as long as the account stays as it is."""
        email: str = super().save(request, **kwargs)
        unfinished.note_reset(request.session, next(iter(self.users), None))
        return email


class ResetPasswordKeyForm(OurLabels, account.ResetPasswordKeyForm):
    """The new password, once the code was right."""

    words = {"password1": (_("New password"), NEW_PASSWORD_HINT)}
    left_out = ("password2",)


class ReauthenticateForm(OurLabels, account.ReauthenticateForm):
    """The password again, before a sensitive action."""

    words = {"password": PASSWORD}


class ConfirmEmailVerificationCodeForm(OurLabels, account.ConfirmEmailVerificationCodeForm):
    """The code that proves that an address is theirs."""

    words = {"code": MAILED_CODE}

    def clean_code(self) -> str:
        """The code. If it is right, the address is theirs, and nobody's who only signed up with it. Raises
        ValidationError if it is wrong, or the address was confirmed by somebody else."""
        account.BaseConfirmCodeForm.clean_code(self)
        if self.user is not None:
            purging.make_way(self.email, to=self.user, at=timezone.now())
        code: str = super().clean_code()
        return code


class ConfirmPasswordResetCodeForm(OurLabels, account.ConfirmPasswordResetCodeForm):
    """The code that allows a new password."""

    words = {"code": MAILED_CODE}


class ByCode(OurLabels):
    """Mixin for forms that take a code: labels it by what it can be, and logs a wrong one as a wrong password is
    logged.

    Somebody whose only second step is a passkey has no app, and can only type a recovery code.
    """

    words = {"code": APP_CODE}
    method: ClassVar[Method]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = set(Authenticator.objects.filter(user=self.user).values_list("type", flat=True))  # type: ignore[attr-defined]
        self.has_app = Authenticator.Type.TOTP in kinds
        self.has_passkey = Authenticator.Type.WEBAUTHN in kinds
        if not self.has_app:
            _call(self.fields["code"], RECOVERY_CODE)  # type: ignore[attr-defined]

    def clean_code(self) -> str:
        """The code. Raises ValidationError if it is wrong, was used before, or cannot be tried any more."""
        try:
            code: str = super().clean_code()  # type: ignore[misc]  # of the library's form
            if not used_codes.is_first_use(self.user, code):  # type: ignore[attr-defined]
                raise get_adapter().validation_error("incorrect_code")
        except ValidationError:
            self.refuse()
            raise
        return code

    def refuse(self) -> None:
        """Log the wrong code."""
        failed_sign_ins.note_failure(self.user, self.method, at=timezone.now())  # type: ignore[attr-defined]


class AuthenticateForm(ByCode, mfa.AuthenticateForm):
    """The second step of signing in. The owner may be mailed about a wrong code."""

    method = Method.CODE

    def refuse(self) -> None:
        """Log it and perhaps mail the owner: whoever types a code here knew the password."""
        signing_in.refuse_code(context.request, self.user, at=timezone.now())


class ReauthenticateByCodeForm(ByCode, mfa.ReauthenticateForm):
    """A code again, before a sensitive action."""

    method = Method.CODE_AGAIN


class ActivateTOTPForm(OurLabels, totp.ActivateTOTPForm):
    """The first code, which proves that the app is set up."""

    words = {"code": (_("Code from the app"), _("Six digits. They change every 30 seconds."))}


class AddWebAuthnForm(OurLabels, webauthn.AddWebAuthnForm):
    """Name a new passkey."""

    words = {
        "name": (_("Name"), _("A name you will recognize, such as “my phone”.")),
        "passwordless": (
            _("Let this passkey sign me in on its own"),
            _("You then need no e-mail address or password. Your device asks for your fingerprint, face or PIN."),
        ),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Tick what suits most people: a passkey is easier and safer than a password."""
        super().__init__(*args, **kwargs)
        passwordless = self.fields["passwordless"]
        if isinstance(passwordless, BooleanField):
            passwordless.initial = True

    def clean(self) -> dict[str, Any]:
        """The input. Raises ValidationError if the passkey cannot be stored."""
        with passkeys.refused_as(gettext("We could not save this passkey. Try once more.")):
            sent: dict[str, Any] = super().clean()
            return sent


class EditWebAuthnForm(OurLabels, webauthn.EditWebAuthnForm):
    """Rename a passkey."""

    words = {"name": (_("Name"), "")}
