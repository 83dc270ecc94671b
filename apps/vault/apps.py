"""The vault app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class VaultConfig(AppConfig):
    """A data key per holder, wrapped by keys outside the database: seal, open, rotate, shred."""

    name = "apps.vault"
    label = "vault"
    verbose_name = _("Vault")
