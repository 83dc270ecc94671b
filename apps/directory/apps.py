"""The directory app."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy as _

from apps.directory import checks


class DirectoryConfig(AppConfig):
    """Providers, endpoints, authorization servers, client registrations: search and import."""

    name = "apps.directory"
    label = "directory"
    verbose_name = _("Directory")
    sealed_columns = "apps.directory.sealed_columns.COLUMNS"  # read when data keys are renewed

    def ready(self) -> None:
        """Register this app's check."""
        register(checks.signing_keys_last, Tags.security)
