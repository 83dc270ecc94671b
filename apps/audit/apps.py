"""The audit app."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy as _

from apps.audit import checks


class AuditConfig(AppConfig):
    """The append-only log of who did what to which thing, and when."""

    name = "apps.audit"
    label = "audit"
    verbose_name = _("Audit")

    def ready(self) -> None:
        """Register this app's checks."""
        register(checks.log_cannot_be_emptied, Tags.security)
        register(checks.deletions_are_kept, Tags.security)
