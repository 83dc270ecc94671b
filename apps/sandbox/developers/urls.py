"""Addresses below `/developers/`."""

from django.urls import path

from apps.sandbox.developers import views

urlpatterns = [
    path("sign-in", views.sign_in, name="developer-sign-in"),
    path("sign-out", views.sign_out, name="developer-sign-out"),
]
