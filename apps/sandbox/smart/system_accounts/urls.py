"""Addresses below `/system-accounts/`."""

from django.urls import path

from apps.sandbox.smart.system_accounts import views

urlpatterns = [
    path("", views.accounts, name="system-accounts"),
    path("request", views.request_account, name="system-account-request"),
    path("<int:pk>/", views.account, name="system-account"),
    path("<int:pk>/secret", views.make_secret, name="system-account-secret"),
    path("<int:pk>/keys", views.register_keys, name="system-account-keys"),
    path("<int:pk>/retire", views.retire, name="system-account-retire"),
]
