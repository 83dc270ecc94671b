"""How attempts to link one endpoint ended on one day: only numbers."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models.endpoint import Endpoint


class LinkDay(models.Model):
    """Written by `directory.monitoring.link_statistics` alone. It counts attempts and knows nobody. Days are UTC."""

    endpoint = models.ForeignKey(
        Endpoint, on_delete=models.CASCADE, related_name="link_days", verbose_name=_("endpoint"), db_index=False
    )
    date = models.DateField(_("day"), db_index=True)
    completed = models.PositiveIntegerField(_("connected"), default=0)
    refused_by_patient = models.PositiveIntegerField(_("refused by the patient"), default=0)
    failed_there = models.PositiveIntegerField(_("failed at the provider"), default=0)
    failed_here = models.PositiveIntegerField(_("failed here"), default=0)
    abandoned = models.PositiveIntegerField(_("nobody came back"), default=0)

    class Meta:
        verbose_name = _("day of links")
        verbose_name_plural = _("days of links")
        constraints = [models.UniqueConstraint(fields=["endpoint", "date"], name="one_row_per_endpoint_and_day")]

    class Privacy:
        operational = (
            "id", "endpoint", "date", "completed", "refused_by_patient", "failed_there", "failed_here", "abandoned",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.endpoint_id} on {self.date}"
