"""The audit app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AuditConfig(AppConfig):
    """Append-only events: who did what to which thing, when."""

    name = "apps.audit"
    label = "audit"
    verbose_name = _("Audit")
