"""Addresses below `/a/{version}/fhir/`. Every view takes `version` ("dstu2" or "r4")."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
