"""The sandbox as a Django app."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    """Everything the offline provider is."""

    name = "apps.sandbox"
    label = "sandbox"
    verbose_name = "Sandbox"
