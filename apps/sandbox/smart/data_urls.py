"""Addresses below `/b/{host}/`: FHIR roots, which are `{version}/{tenant}`, with discovery and the data routes."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
