"""Addresses of the accounts app."""

from django.urls import URLPattern, URLResolver, path

from apps.accounts.views import grave_news, language, notice, pages, sessions, signing_out, staying, warnings

urlpatterns: list[URLPattern | URLResolver] = [
    path("accounts/logout/", signing_out.LogoutView.as_view(), name="account_logout"),  # before the library's
    path("accounts/password/given/", pages.show_password_given, name="password_given"),
    path("accounts/stay/", staying.stay, name="stay"),
    path("accounts/sessions/", sessions.show, name="sessions"),
    path("help/", pages.show_help, name="help"),
    path("language/", language.set_language, name="set_language"),
    path("notice/", notice.show, name="notice"),
    path("notice/agree/", notice.agree, name="agree"),
    path("settings/", pages.show_settings, name="settings"),
    path("settings/sensitive/", grave_news.choose, name="choose_grave_news"),
    path("settings/warnings/", warnings.choose, name="warnings"),
]
