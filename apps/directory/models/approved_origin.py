"""An origin with a port of its own that staff approved."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class ApprovedOrigin(models.Model):
    """We connect to port 443 alone, except where staff approved exactly this origin (interface facts, section 6,
    row 16). It stays https, and its host must be public all the same."""

    origin = models.CharField(
        _("origin"), max_length=300, unique=True, help_text=_("Such as https://fhir.example.org:8443, without a path.")
    )
    reason = models.CharField(_("why"), max_length=300)
    approved_at = models.DateTimeField(_("approved"), editable=False)

    class Meta:
        verbose_name = _("approved origin")
        verbose_name_plural = _("approved origins")

    class Privacy:
        operational = ("id", "origin", "reason", "approved_at")

    def __str__(self) -> str:
        return self.origin
