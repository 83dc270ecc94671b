"""An attachment: a file of a record that its owner opened, kept so that it can be read again without another
request."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.connections.models import Connection
from apps.records.models.record import Record


class Attachment(models.Model):
    """`digest` is keyed by the user, and covers the whole description that the record gives of the file."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="attachments")
    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="attachments", db_index=False)
    digest = models.BinaryField(max_length=32)
    sealed_content = models.BinaryField()
    fetched_at = models.DateTimeField()

    class Meta:
        verbose_name = _("attachment")
        verbose_name_plural = _("attachments")
        constraints = [models.UniqueConstraint(fields=["record", "digest"], name="one_attachment_per_description")]

    class Privacy:
        health = ("sealed_content",)
        personal = ("digest",)
        operational = ("id", "user", "connection", "record", "fetched_at")

    def __str__(self) -> str:
        return f"attachment {self.pk}"
