"""Addresses of the directory app."""

from django.urls import URLPattern, URLResolver, path

from apps.directory.views import providers

urlpatterns: list[URLPattern | URLResolver] = [
    path("providers/", providers.find, name="find-provider"),
    path("providers/<uuid:provider_id>/", providers.choose_version, name="choose-version"),
]
