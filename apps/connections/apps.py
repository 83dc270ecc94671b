"""The connections app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ConnectionsConfig(AppConfig):
    """Linking, refreshing and disconnecting; authorization requests, connections, stored token sets."""

    name = "apps.connections"
    label = "connections"
    verbose_name = _("Connections")
