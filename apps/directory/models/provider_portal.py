"""A provider's portal: the sign-in through which patients of this provider reach an endpoint."""

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models.endpoint import Endpoint
from apps.directory.models.provider import Provider


class ProviderPortal(models.Model):
    """Joins providers and endpoints. A brand on two systems has two, distinguished by the names that patients know from
    the sign-in page; several brands on one endpoint have one each. Most directories give no name."""

    provider = models.ForeignKey(
        Provider, on_delete=models.CASCADE, related_name="portals", verbose_name=_("provider"), db_index=False
    )  # the constraint begins with it
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="portals", verbose_name=_("endpoint"))
    name = models.CharField(_("name of the patient portal"), max_length=200, blank=True)
    url = models.URLField(_("address of the patient portal"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("patient portal")
        verbose_name_plural = _("patient portals")
        constraints = [models.UniqueConstraint(fields=["provider", "endpoint"], name="one_portal_per_pair")]

    class Privacy:
        operational = ("id", "provider", "endpoint", "name", "url")

    def __str__(self) -> str:
        return self.name or str(_("without a name"))

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Update the provider's search words, so that it is found by the name and address of its portal."""
        super().save(*args, **kwargs)
        self.provider.save(update_fields=["plain_name", "words"])
