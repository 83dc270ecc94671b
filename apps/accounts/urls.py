"""Addresses of the accounts app."""

from allauth.account import views as account
from allauth.mfa.totp import views as totp
from django.urls import URLPattern, URLResolver, path

from apps.accounts.views import (
    breaches,
    grave_news,
    language,
    notice,
    pages,
    session_extension,
    sessions,
    signing_out,
    time_zone,
    warnings,
)
from apps.accounts.views.double_submit import tolerate_double_submit

_CONFIRM_EMAIL = "account_email_verification_sent"

urlpatterns: list[URLPattern | URLResolver] = [
    # These take precedence over the library's, which come later.
    path("accounts/logout/", signing_out.LogoutView.as_view(), name="account_logout"),
    path("accounts/signup/", tolerate_double_submit(account.signup, then=_CONFIRM_EMAIL), name="account_signup"),
    path(
        "accounts/confirm-email/",
        tolerate_double_submit(account.email_verification_sent, then="account_email"),
        name=_CONFIRM_EMAIL,
    ),
    path(
        "accounts/2fa/totp/activate/",
        tolerate_double_submit(totp.activate_totp, then="mfa_index"),
        name="mfa_activate_totp",
    ),
    path("accounts/password/given/", pages.show_password_given, name="password_given"),
    path("accounts/stay/", session_extension.stay, name="stay"),
    path("accounts/sessions/", sessions.show, name="sessions"),
    path("help/", pages.show_help, name="help"),
    path("language/", language.set_language, name="set_language"),
    path("happened/<uuid:notice_id>/", breaches.show, name="breach"),
    path("notice/", notice.show, name="notice"),
    path("notice/agree/", notice.agree, name="agree"),
    path("settings/", pages.show_settings, name="settings"),
    path("settings/sensitive/", grave_news.choose, name="choose_grave_news"),
    path("settings/time-zone/", time_zone.choose, name="time_zone"),
    path("settings/warnings/", warnings.choose, name="warnings"),
]
