"""An origin with a port other than 443 that staff approved."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class ApprovedOrigin(models.Model):
    """We connect only to port 443, unless staff approved exactly this origin (interface facts, section 6, row 16). It
    must still be https, and its host public."""

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
