"""The portal app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PortalConfig(AppConfig):
    """What needs several apps: home, confirm and start, the ways back, errors."""

    name = "apps.portal"
    label = "portal"
    verbose_name = _("Portal")
