"""The TLS certificate of our own site, as seen from outside. Only `link_health.site_certificate` writes it."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class SiteCertificate(models.Model):
    """One row for each origin that this installation ever had; that of SITE_ORIGIN is the current one. What a check
    could not see stays as an earlier one saw it."""

    origin = models.CharField(max_length=300, unique=True)
    tried_at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)
    fault = models.CharField(max_length=20, blank=True)  # of CertificateFault; empty while all is well
    told_at = models.DateTimeField(null=True)  # when staff were last written to about it

    class Meta:
        verbose_name = _("site certificate")
        verbose_name_plural = _("site certificates")

    class Privacy:
        operational = ("id", "origin", "tried_at", "seen_at", "ends_at", "fault", "told_at")

    def __str__(self) -> str:
        return self.origin
