"""Addresses below `/practice/`."""

from django.urls import path

from apps.sandbox.practice import views

urlpatterns = [
    path("", views.desk, name="practice"),
    path("<int:pk>/end", views.end, name="practice-end"),
]
