"""Addresses below `/b/` of what proves who may do what: keys, ID tokens, revocation, the manage page, launches."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
