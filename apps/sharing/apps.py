"""The sharing app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SharingConfig(AppConfig):
    """Showing a part of the record to somebody without an account here."""

    name = "apps.sharing"
    label = "sharing"
    verbose_name = _("Sharing")
    sealed_columns = "apps.sharing.sealed_columns.COLUMNS"  # whoever renews data keys asks for it
