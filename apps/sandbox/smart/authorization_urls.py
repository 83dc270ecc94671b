"""Addresses below `/b/` of the authorization server: authorize, token, sign out."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
