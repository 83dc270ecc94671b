"""Addresses below `/a/{version}/auth/`."""

from django.urls import path

from apps.sandbox.patient_access import views

urlpatterns = [
    path("authorize", views.authorize, name="authorize"),
    path("token", views.token, name="token"),
    path("revoke", views.revoke, name="revoke"),
]
