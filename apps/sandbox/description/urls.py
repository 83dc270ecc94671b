"""Addresses below /a/description/."""

from django.urls import path, re_path

from apps.sandbox.description import views

urlpatterns = [
    path("", views.explore, name="description"),
    re_path(r"^(?P<version>dstu2|r4)\.json$", views.machine, name="description-machine"),
]
