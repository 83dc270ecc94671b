"""The stored form of a token set. Only `apps.connections.refreshing` writes it.

Locks are taken in one order: account (without its key), sync run, connection, token set. Whoever holds one of them may
ask for those after it and never for one before it, or two of them would wait for each other for ever.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.connections.models.connection import Connection
from apps.directory.models import ClientRegistration, Endpoint


class StoredTokenSet(models.Model):
    """A table of its own, so that listing connections never loads a token. The columns are those of the refresh
    protocol (design, section 5)."""

    connection = models.OneToOneField(
        Connection, on_delete=models.CASCADE, primary_key=True, related_name="stored_token_set"
    )
    # As the connection says: what is due is asked for registration by registration, without a join. Two triggers (0021)
    # keep it so: processes of the version before, which run on beside a migration, write neither it nor a change of it.
    registration = models.ForeignKey(ClientRegistration, on_delete=models.PROTECT, related_name="+", db_index=False)
    sealed_access_token = models.BinaryField()
    sealed_refresh_token = models.BinaryField(null=True)
    generation = models.PositiveIntegerField(default=1)
    attempt_id = models.UUIDField(null=True)
    attempt_started_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    not_before_at = models.DateTimeField(null=True)
    refresh_issued_at = models.DateTimeField(null=True)  # when the request that brought it was sent
    refresh_used_at = models.DateTimeField(
        null=True
    )  # when it was last exchanged, or issued: idle limits count from it
    refresh_deadline_at = models.DateTimeField(null=True)
    refresh_due_at = models.DateTimeField(null=True)
    # Where staff switched it off when this was due: it is due again when they switch it on (`refreshing.parking`).
    parked_endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    access_expires_at = models.DateTimeField(null=True)
    # Whether the server gave a new refresh token for this one's predecessor, or none; None until it was seen.
    is_rotated = models.BooleanField(null=True)
    is_session_bound = models.BooleanField(
        default=False, db_default=False
    )  # online_access: it ends with the session at the provider
    # Since when its server refuses it, for as long as that may be a mistake of theirs (`refreshing.doubting`).
    refused_at = models.DateTimeField(null=True)
    # When it refused data for the first time, with tokens that it had just given (`refreshing.reopening`). Kept when it
    # opens, until a new sign-in.
    data_refused_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(
        default=0, db_default=0
    )  # that failed in a row, for us to wait longer each time
    # When an attempt last ended in a way nobody foresaw, for operators; it is history where no try failed since.
    broke_off_at = models.DateTimeField(null=True)
    # Since when its provider has not answered, for patients; history as well where no try failed since.
    silent_since = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("stored token set")
        verbose_name_plural = _("stored token sets")
        # Registration by registration (`refreshing.choosing`): what is due, what must be saved first, and what may be
        # waiting for an answer that got lost. What beat has nothing to do about is in none.
        indexes = [
            models.Index(
                fields=["registration", "refresh_due_at"],
                condition=Q(refresh_due_at__isnull=False),
                name="refreshes_by_due_time",
            ),
            models.Index(
                fields=["registration", "refresh_deadline_at"],
                condition=Q(refresh_due_at__isnull=False),
                name="refreshes_by_deadline",
            ),
            models.Index(
                fields=["registration", "attempt_started_at"],
                condition=Q(attempt_started_at__isnull=False),
                name="refreshes_unanswered",
            ),
            models.Index(
                fields=["parked_endpoint"], condition=Q(parked_endpoint__isnull=False), name="refreshes_parked"
            ),
            models.Index(fields=["registration"], condition=Q(broke_off_at__isnull=False), name="refreshes_broken_off"),
            models.Index(
                fields=["registration", "refused_at"], condition=Q(refused_at__isnull=False), name="refreshes_doubted"
            ),
        ]

    class Privacy:
        secret = ("sealed_access_token", "sealed_refresh_token")
        operational = (
            "connection", "registration", "generation", "attempt_id", "attempt_started_at", "lease_until",
            "not_before_at", "refresh_issued_at", "refresh_used_at", "refresh_deadline_at", "refresh_due_at",
            "parked_endpoint", "access_expires_at", "is_rotated", "is_session_bound", "refused_at", "data_refused_at",
            "tries", "broke_off_at", "silent_since",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"token set of connection {self.connection_id}"

    @property
    def is_doubted(self) -> bool:
        """Whether it was refused and is asked for again: the version before, running beside, takes what it does not
        know for due no more."""
        return self.refused_at is not None and self.refresh_due_at is not None

    @property
    def is_data_refused(self) -> bool:
        """Whether that is because of its data: then both are counted from the same moment."""
        return self.refused_at is not None and self.refused_at == self.data_refused_at

    @property
    def is_renewable(self) -> bool:
        """Whether a refresh token is kept; told without loading it."""
        return self.refresh_issued_at is not None
