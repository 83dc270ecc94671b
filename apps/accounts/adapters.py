"""Our hooks into allauth: its texts, mail, audit events and sealing. Each hook is one method; the work is done
elsewhere.
"""

from base64 import b64decode, b64encode
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib.sessions.exceptions import SessionInterrupted
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.accounts import account_events, known_browsers, lockout, mailing, signing_in, unfinished, user_sessions
from apps.accounts.models import User
from apps.audit.recording import EventType
from apps.vault import sealing
from apps.vault.sealing import Holder, Place

AUTHENTICATOR_PLACE = Place("mfa_authenticator", "data")

# Whatever allauth mails to the owner of an account goes into the audit log, too.
EVENT_OF_MAIL = {
    "account/email/email_changed": EventType.USER_EMAIL_CHANGED,
    "account/email/password_changed": EventType.USER_PASSWORD_CHANGED,
    "account/email/password_reset": EventType.USER_PASSWORD_CHANGED,
    "account/email/password_set": EventType.USER_PASSWORD_CHANGED,
    "mfa/email/recovery_codes_generated": EventType.USER_AUTHENTICATOR_CHANGED,
    "mfa/email/totp_activated": EventType.USER_AUTHENTICATOR_CHANGED,
    "mfa/email/totp_deactivated": EventType.USER_AUTHENTICATOR_CHANGED,
    "mfa/email/webauthn_added": EventType.USER_AUTHENTICATOR_CHANGED,
    "mfa/email/webauthn_removed": EventType.USER_AUTHENTICATOR_CHANGED,
}


class AccountAdapter(DefaultAccountAdapter):
    """Signing up, in and out."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "account_inactive": _("This account is closed. Write to us if you did not expect this."),
        "duplicate_email": _("This is already the address of your account."),
        "email_password_mismatch": _("This e-mail address and password do not match. Check both and try again."),
        "email_taken": _("This address belongs to another account. Nothing was changed."),
        "enter_current_password": _("This is not your current password."),
        "incorrect_code": _("This code is not right. Check it, or ask for a new one."),
        "incorrect_password": _("This password is not right."),
        "too_many_login_attempts": _("Too many tries. Wait a few minutes, then try again."),
        "rate_limited": _("Too many tries. Wait a minute, then try again."),
        "same_as_current": _("This is already your address. Enter a different one."),
    }

    def clean_email(self, email: str) -> str:
        """The address, if mail can be sent to it. Raises ValidationError, with the text used for any other invalid
        address."""
        cleaned: str = super().clean_email(email)
        if not mailing.is_address(cleaned):
            raise ValidationError(validate_email.message, code="invalid")
        return cleaned

    def save_user(self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True) -> User:  # noqa: FBT001, FBT002  allauth's signature
        """Store the language in which the person signed up: our mail is written in it."""
        user.language = translation.get_language() or "en"
        with transaction.atomic():
            super().save_user(request, user, form, commit=commit)
            account_events.record(EventType.USER_SIGNED_UP, user, at=timezone.now())
        return user

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse | None:
        """Before the steps that are still missing, after the password or passkey was right."""
        unfinished.note_sign_in(request.session, user)
        refused: HttpResponse | None = super().pre_login(request, user, **kwargs)
        return refused

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """After the last step of signing in: log it, mail the owner about an unknown browser, switch to the person's
        language."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        unfinished.forget_sign_in(request.session)
        signing_in.complete(request, response, user, at=timezone.now(), is_first=bool(kwargs.get("signup")))
        return response

    def set_password(self, user: User, password: str) -> None:
        """Set a new password and end every other session: whoever knew the old password is signed out.

        The library would write all columns of the account as it was read. Here only the password is written, so an
        account that staff have stopped meanwhile stays stopped, and one that was closed does not come back. Raises
        SessionInterrupted if it was closed.
        """
        user.set_password(password)
        with transaction.atomic():
            if not User.objects.filter(pk=user.pk).update(password=user.password):
                raise SessionInterrupted
            user_sessions.end_others(user, self.request.session, at=timezone.now())
        known_browsers.remember_owner(self.request.session, user)

    def logout(self, request: HttpRequest) -> None:
        """Log it, then flush the session."""
        if isinstance(request.user, User):
            account_events.record(EventType.USER_SIGNED_OUT, request.user, at=timezone.now())
        super().logout(request)

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address under which failures are counted. The library's own method answers 403 if there is none."""
        return lockout.counted_address(request)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count failures by account and address together, as the lockout does. The library counts by account alone;
        then five wrong passwords every five minutes would keep anybody out of their own account."""
        by_account: str = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{by_account}:{lockout.counted_address(request)}"

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Replace the old address with the new one in one transaction; the library writes row after row. Raises
        IntegrityError if a second press of the button came first."""
        with transaction.atomic():
            confirmed: bool = super().confirm_email(request, email_address)
        return confirmed

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail in the language of the owner of the address, with their name in the greeting. Raises NotSent."""
        try:
            mailing.send(template_prefix, to=email, context=context)
        except OSError as error:  # its text may hold the address
            raise mailing.NotSent(mailing.kind(error)) from None

    def send_notification_mail(self, template_prefix: str, user: User, *args: Any, **kwargs: Any) -> None:
        """Tell the owner that their account changed, and record it."""
        event = EVENT_OF_MAIL.get(template_prefix)
        if event:
            account_events.record(event, user, at=timezone.now())
        with mailing.failures_logged(user):
            super().send_notification_mail(template_prefix, user, *args, **kwargs)


class MFAAdapter(DefaultMFAAdapter):
    """The second step of signing in. Its secrets are sealed, so that nobody can sign in with a copy of the database."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": _("This code is not right. Wait for the next one and try again."),
        "unverified_email": _("Confirm your e-mail address first."),
    }

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002  allauth's signature
        """The name that the form suggests for a new passkey."""
        owned = Authenticator.objects.filter(user=user, type=type).count()
        return gettext("Passkey {number}").format(number=owned + 1)

    def encrypt(self, text: str) -> str:
        """Seal for the installation, because the library does not say whose secret it is (docs/security.md)."""
        sealed = sealing.seal(text.encode(), holder=Holder.installation(), place=AUTHENTICATOR_PLACE)
        return b64encode(sealed).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Open what `encrypt` sealed. Raises the vault's errors if it was tampered with."""
        sealed = b64decode(encrypted_text)
        return sealing.open_sealed(sealed, holder=Holder.installation(), place=AUTHENTICATOR_PLACE).decode()
