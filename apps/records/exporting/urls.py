"""Addresses for downloading a copy."""

from django.urls import path

from apps.records.exporting import views

urlpatterns = [path("", views.download, name="download_copy")]
