"""The data keys, each wrapped by a key that the database never sees. A holder has one, and during a renewal also the
one before (`renewing`).
"""

import uuid

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from apps.vault.holders import HolderKind


class DataKey(models.Model):
    """One holder's wrapped data key, or the tombstone of a shredded one. Sealed values name their key by the first four
    bytes of its id."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    holder_kind = models.CharField(max_length=16, choices=HolderKind)
    holder_id = models.UUIDField(null=True)
    wrapped = models.BinaryField(null=True)
    wrapping_key_id = models.CharField(max_length=64)
    # The database's clock: a key is created on first use, deep inside calls that are not given the time.
    created_at = models.DateTimeField(db_default=Now())
    shredded_at = models.DateTimeField(null=True)
    is_retired = models.BooleanField(default=False, db_default=False)  # it only opens what it sealed before
    unused_since = models.DateTimeField(null=True)  # since when nothing sealed by this retired key is found any more

    class Meta:
        verbose_name = _("data key")
        verbose_name_plural = _("data keys")
        constraints = [
            # At most one current and one retired key. Written with expressions, the constraint becomes a unique index,
            # which can be built concurrently; it also finds a holder's keys.
            models.UniqueConstraint(
                "holder_kind", "holder_id", "is_retired", nulls_distinct=False, name="vault_one_data_key_of_each_state"
            ),
            models.CheckConstraint(
                condition=Q(wrapped__isnull=False, shredded_at__isnull=True)
                | Q(wrapped__isnull=True, shredded_at__isnull=False),
                name="vault_shredded_key_is_gone",
            ),
            models.CheckConstraint(
                condition=Q(holder_kind=HolderKind.USER, holder_id__isnull=False)
                | Q(holder_kind=HolderKind.INSTALLATION, holder_id__isnull=True),
                name="vault_holder_kind_fits_id",
            ),
            models.CheckConstraint(
                condition=Q(is_retired=False, unused_since__isnull=True) | Q(is_retired=True, shredded_at__isnull=True),
                name="vault_retired_key_is_whole",
            ),
        ]
        indexes = [
            # Rotation goes through the data keys of one wrapping key, a batch at a time.
            models.Index(fields=["wrapping_key_id", "id"], name="vault_data_keys_of_key"),
        ]

    class Privacy:
        secret = ("wrapped",)
        operational = (
            "id", "holder_kind", "holder_id", "wrapping_key_id", "created_at", "shredded_at", "is_retired",
            "unused_since",
        )  # fmt: skip

    def __str__(self) -> str:
        """The kind of holder, never who."""
        return f"{self.holder_kind} data key"
