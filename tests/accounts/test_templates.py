"""Every page and mail of allauth has a template of ours, in both languages."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import allauth
import pytest
from allauth.account.forms import EmailField
from django import forms
from django.conf import settings
from django.template.loader import get_template
from django.test import RequestFactory
from django.utils import timezone, translation

from apps.accounts.models import User

LIBRARY = Path(allauth.__file__).parent / "templates"
OURS = Path(settings.BASE_DIR) / "templates"

# What our settings make unreachable, with the setting that does. A template that joins the library must join a side.
NEVER_SHOWN = {
    "account/email.html": "ACCOUNT_CHANGE_EMAIL: one address",
    "account/email_confirm.html": "ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED: no links",
    "account/confirm_login_code.html": "ACCOUNT_LOGIN_BY_CODE_ENABLED is off",
    "account/email/email_confirm_message.txt": "the library never sends it",
    "account/email/email_confirm_subject.txt": "the library never sends it",
    "account/email/login_code_message.txt": "ACCOUNT_LOGIN_BY_CODE_ENABLED is off",
    "account/email/login_code_subject.txt": "ACCOUNT_LOGIN_BY_CODE_ENABLED is off",
    "account/email/password_reset_key_message.txt": "ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED: no links",
    "account/email/password_reset_key_subject.txt": "ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED: no links",
    "account/messages/login_code_sent.txt": "ACCOUNT_LOGIN_BY_CODE_ENABLED is off",
    "account/password_reset_done.html": "ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED: no links",
    "account/request_login_code.html": "ACCOUNT_LOGIN_BY_CODE_ENABLED is off",
    "account/signup_by_passkey.html": "MFA_PASSKEY_SIGNUP_ENABLED is off",
    "account/verified_email_required.html": "verification is by code",
    "account/confirm_phone_verification_code.html": "no phone numbers",
    "account/phone_change.html": "no phone numbers",
    "account/messages/phone_verification_sent.txt": "no phone numbers",
    "account/messages/phone_verified.txt": "no phone numbers",
    "account/base_manage_phone.html": "no phone numbers",
    "account/snippets/already_logged_in.html": "included by the library's own pages only",
    "account/snippets/warn_no_email.html": "included by the library's own pages only",
    "mfa/trust.html": "MFA_TRUST_ENABLED is off",
    "mfa/webauthn/signup_form.html": "MFA_PASSKEY_SIGNUP_ENABLED is off",
}
# Parents of the library's pages. They extend allauth/layouts, which are ours.
PARENTS = {
    "account/base_entrance.html",
    "account/base_manage.html",
    "account/base_manage_email.html",
    "account/base_manage_password.html",
    "mfa/base_entrance.html",
    "mfa/base_manage.html",
    "mfa/recovery_codes/base.html",
    "mfa/totp/base.html",
    "mfa/webauthn/base.html",
}


def library_templates() -> Iterator[str]:
    for app in ("account", "mfa"):
        for path in sorted((LIBRARY / app).rglob("*.*")):
            yield str(path.relative_to(LIBRARY))


SHOWN = [name for name in library_templates() if name not in NEVER_SHOWN and name not in PARENTS]


PAGES = [name for name in SHOWN if name.endswith(".html") and "/snippets/" not in name and "/base_" not in name]
MAILS = [name for name in SHOWN if name.endswith("_message.txt") and "/base_" not in name]


def ours(name: str) -> Path:
    """The file that Django takes for a template of this name."""
    template: Any = get_template(name)
    return Path(template.origin.name)


class AnyForm(forms.Form):
    """Fields of every name a page may look for."""

    login = email = EmailField()
    password = password1 = oldpassword = code = secret = name = credential = forms.CharField()


def context(alice: User) -> dict[str, Any]:
    request = RequestFactory().get("/")
    request.user = alice
    form = AnyForm()
    wrapped = SimpleNamespace(is_passwordless=True, name="my phone")
    passkey = SimpleNamespace(pk=1, created_at=timezone.now(), last_used_at=None, wrap=wrapped)
    codes = SimpleNamespace(get_unused_codes=["12345678"])
    return {
        "request": request,
        "user": alice,
        "form": form,
        "verify_form": form,
        "webauthn_form": form,
        "email": alice.email,
        "can_resend": True,
        "PASSKEY_LOGIN_ENABLED": True,
        "MFA_SUPPORTED_TYPES": ["totp", "webauthn", "recovery_codes"],
        "is_mfa_enabled": True,
        "authenticators": {"webauthn": [passkey], "totp": passkey, "recovery_codes": codes},
        "authenticator": passkey,
        "unused_codes": ["12345678"],
        "unused_code_count": 1,
        "can_view_codes": True,
        "js_data": {},
        "totp_svg_data_uri": "data:image/svg+xml;base64,",
        "timestamp": timezone.now(),
        "user_agent": "",
        "code": "ABCD-EFGH",
        "site_origin": "https://holdfast.example",
        "first_name": "Alice",
        "from_email": "a@example.org",
        "to_email": "b@example.org",
        "deleted_email": "a@example.org",
        "recipient": "a@example.org",
    }


class TestATemplateOfTheLibrary:
    @pytest.mark.parametrize("name", SHOWN)
    def test_has_one_of_ours_before_it(self, name: str):
        assert ours(name) == OURS / name

    @pytest.mark.parametrize("name", sorted([*NEVER_SHOWN, *PARENTS]))
    def test_exists_there_alone_where_we_say_why_it_is_not_shown(self, name: str):
        assert (LIBRARY / name).is_file()
        assert not (OURS / name).exists()

    @pytest.mark.parametrize("layout", ["base", "entrance", "manage"])
    def test_stands_in_our_page_whatever_it_is(self, layout: str):
        assert ours(f"allauth/layouts/{layout}.html").is_relative_to(OURS)


class TestAPageOfOurs:
    @pytest.mark.parametrize("language", ["en", "es"])
    @pytest.mark.parametrize("name", PAGES)
    def test_renders_with_one_heading_and_a_title(self, alice: User, name: str, language: str):
        with translation.override(language):
            values = context(alice)
            if name == "mfa/webauthn/authenticator_list.html":
                values["authenticators"] = [values["authenticator"]]
            page = get_template(name).render(values, values["request"])
        assert page.count("<h1>") == 1
        assert re.search(r"<title>\S.* \u2013 Holdfast</title>", page)
        assert f'<html lang="{language}">' in page


class TestAMailOfOurs:
    @pytest.mark.parametrize("language", ["en", "es"])
    @pytest.mark.parametrize("name", MAILS)
    def test_has_one_link_at_most_and_a_short_subject(self, alice: User, name: str, language: str):
        values = {key: value for key, value in context(alice).items() if key not in {"request", "activate_url"}}
        with translation.override(language):
            body = get_template(name).render(values)
            subject = get_template(name.replace("_message", "_subject")).render(values).strip()
        assert body.count("http") <= 1
        assert 0 < len(subject) <= 60
        assert "\n" not in subject
        assert "&#" not in body
