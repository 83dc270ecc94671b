"""The records app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RecordsConfig(AppConfig):
    """Syncing, storing, presenting: the patient's record as received."""

    name = "apps.records"
    label = "records"
    verbose_name = _("Records")
    sealed_columns = "apps.records.sealed_columns.COLUMNS"  # `apps.vault.renewing` looks it up
