"""The connections app."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy as _

from apps.connections import checks


class ConnectionsConfig(AppConfig):
    """Linking, refreshing and disconnecting; authorization requests, connections, stored token sets."""

    name = "apps.connections"
    label = "connections"
    verbose_name = _("Connections")
    sealed_columns = "apps.connections.sealed_columns.COLUMNS"  # read when data keys are renewed

    def ready(self) -> None:
        """Register this app's checks."""
        register(checks.metrics_token_is_long, Tags.security)
