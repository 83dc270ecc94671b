"""Addresses of the directory app."""

from django.urls import URLPattern, URLResolver, path

from apps.directory.views import key_set, providers

urlpatterns: list[URLPattern | URLResolver] = [
    path(".well-known/jwks.json", key_set.key_set, name="key-set"),
    path("providers/", providers.find, name="find-provider"),
    path("providers/<uuid:provider_id>/", providers.choose_version, name="choose-version"),
]
