"""A shelf: the sealed, presented summaries of one connection and subject. What pages read."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.connections.models import Connection


class Shelf(models.Model):
    """Rebuilt as sync steps end, and by command; never the truth."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="shelves")
    subject = models.CharField(max_length=40)
    sealed_summaries = models.BinaryField()
    built_at = models.DateTimeField()

    class Meta:
        verbose_name = _("shelf")
        verbose_name_plural = _("shelves")
        constraints = [models.UniqueConstraint(fields=["user", "connection", "subject"], name="one_shelf_per_subject")]

    class Privacy:
        health = ("sealed_summaries",)
        operational = ("id", "user", "connection", "subject", "built_at")

    def __str__(self) -> str:
        return f"shelf {self.pk}"
