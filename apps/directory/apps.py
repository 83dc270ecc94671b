"""The directory app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DirectoryConfig(AppConfig):
    """Providers, endpoints, authorization servers, client registrations: search and import."""

    name = "apps.directory"
    label = "directory"
    verbose_name = _("Directory")
