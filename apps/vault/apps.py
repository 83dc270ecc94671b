"""The vault app."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from apps.vault import checks


class VaultConfig(AppConfig):
    """Encryption with a data key per holder; keys outside the database wrap the data keys."""

    name = "apps.vault"
    label = "vault"
    verbose_name = _("Vault")

    def ready(self) -> None:
        """Register this app's checks."""
        register(checks.vault_keys, Tags.security)
        register(import_string("apps.vault.database_checks.needed_keys"), Tags.database)  # needs models
