"""Addresses below `/portal/`."""

from django.urls import path

from apps.sandbox.portal import views

urlpatterns = [
    path("", views.applications, name="portal"),
    path("request", views.request_application, name="portal-request"),
    path("<int:pk>/", views.application, name="portal-application"),
    path("<int:pk>/credentials", views.issue, name="portal-issue"),
    path("<int:pk>/versions", views.add_version, name="portal-add-version"),
    path("<int:pk>/addresses", views.change_addresses, name="portal-addresses"),
    path("<int:pk>/retire", views.retire, name="portal-retire"),
]
