"""Addresses below `/console/`."""

from django.urls import path

from apps.sandbox.smart.console import views

urlpatterns = [
    path("", views.applications, name="console"),
    path("register", views.register, name="console-register"),
    path("<int:pk>/", views.application, name="console-application"),
    path("<int:pk>/change", views.change, name="console-change"),
    path("<int:pk>/retire", views.retire, name="console-retire"),
]
