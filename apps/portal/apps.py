"""The portal app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PortalConfig(AppConfig):
    """Pages that need several apps."""

    name = "apps.portal"
    label = "portal"
    verbose_name = _("Portal")
