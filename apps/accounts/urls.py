"""Addresses of the accounts app."""

from django.urls import URLPattern, URLResolver, path

from apps.accounts.views import language, notice, pages

urlpatterns: list[URLPattern | URLResolver] = [
    path("help/", pages.show_help, name="help"),
    path("language/", language.set_language, name="set_language"),
    path("notice/", notice.show, name="notice"),
    path("notice/agree/", notice.agree, name="agree"),
    path("settings/", pages.show_settings, name="settings"),
]
