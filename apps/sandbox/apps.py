"""The sandbox as a Django app."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    """The sandbox, all in one Django app."""

    name = "apps.sandbox"
    label = "sandbox"
    verbose_name = "Sandbox"
