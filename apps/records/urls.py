"""Addresses of the records app."""

from django.urls import URLPattern, URLResolver, include, path

from apps.records import views

record_urls = [
    path("", views.show_record, name="record"),
    path("progress/", views.show_progress, name="record_progress"),
    path("check/", views.check_again, name="check_again"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("connections/<uuid:connection_id>/record/", include(record_urls)),
]
