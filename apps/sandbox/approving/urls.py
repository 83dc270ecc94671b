"""Addresses below `/approvals/`."""

from django.urls import path

from apps.sandbox.approving import views

urlpatterns = [path("", views.desk, name="approvals")]
