"""The accounts app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """The user, consent to a versioned notice, notification choices."""

    name = "apps.accounts"
    label = "accounts"
    verbose_name = _("People")  # "Accounts" is what the sign-in library calls its own
    sealed_columns = "apps.accounts.sealed_columns.COLUMNS"  # read when data keys are renewed
