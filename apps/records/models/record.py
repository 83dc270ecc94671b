"""A record: our stored copy of one resource, and its earlier versions."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.connections.models import Connection
from apps.wire.bundles import LONGEST_ID


class Record(models.Model):
    """The body is the resource as received, compressed, padded and sealed for the user; the digest is keyed for
    them."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="records", verbose_name=_("user")
    )
    connection = models.ForeignKey(
        Connection, on_delete=models.CASCADE, related_name="records", verbose_name=_("connection")
    )
    resource_type = models.CharField(_("resource type"), max_length=64)
    logical_id = models.CharField(max_length=LONGEST_ID)
    digest = models.BinaryField(max_length=32)
    sealed_body = models.BinaryField()
    first_received_at = models.DateTimeField(_("first received"))
    received_at = models.DateTimeField(_("received as it is"))  # when this body came
    # When the provider last sent this same body: in that run, the first time.
    confirmed_at = models.DateTimeField(_("last confirmed"))
    confirmed_by_run = models.UUIDField(null=True)  # counts use this run, since workers' clocks differ
    # When we noticed that the provider no longer has it. The record stays, and this is cleared if the provider sends it
    # again.
    removed_at = models.DateTimeField(null=True)
    # Since when full proofs have not brought it, although it may still be there (`syncing.received_rows.doubting`).
    unseen_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("record")
        verbose_name_plural = _("records")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "connection", "resource_type", "logical_id"], name="one_record_per_resource"
            )
        ]

    class Privacy:
        health = ("sealed_body",)
        personal = ("logical_id", "digest")
        operational = (
            "id", "user", "connection", "resource_type", "first_received_at", "received_at", "confirmed_at",
            "confirmed_by_run", "removed_at", "unseen_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"record {self.pk}"


class RecordVersion(models.Model):
    """One of the earlier bodies of a record, kept to show what changed from run to run: up to `storing.MOST_VERSIONS`,
    the first and the newest."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="versions")
    sealed_body = models.BinaryField()
    digest = models.BinaryField(max_length=32)
    received_at = models.DateTimeField()
    superseded_at = models.DateTimeField()

    class Meta:
        verbose_name = _("earlier version")
        verbose_name_plural = _("earlier versions")

    class Privacy:
        health = ("sealed_body",)
        personal = ("digest",)
        operational = ("id", "user", "record", "received_at", "superseded_at")

    def __str__(self) -> str:
        return f"earlier version {self.pk}"


class QuarantinedRow(models.Model):
    """A row about another patient than the one requested: evidence for staff and provider. It is sealed for the user
    whose copy it came with, shown on no page, and deleted with the run or after `pruning.QUARANTINED_FOR`."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey("records.SyncRun", on_delete=models.CASCADE, related_name="quarantined")
    resource_type = models.CharField(max_length=64)
    digest = models.BinaryField(max_length=32)
    sealed_body = models.BinaryField()
    received_at = models.DateTimeField()

    class Meta:
        verbose_name = _("row in quarantine")
        verbose_name_plural = _("rows in quarantine")
        constraints = [models.UniqueConstraint(fields=["run", "digest"], name="one_quarantined_row_per_body")]

    class Privacy:
        health = ("sealed_body",)
        personal = ("digest",)
        operational = ("id", "user", "connection", "run", "resource_type", "received_at")

    def __str__(self) -> str:
        return f"row in quarantine {self.pk}"
