"""The stored form of a token set. Only `apps.connections.refreshing` writes it.

Locks are taken in this order: account (without its key), sync run, connection, token set. Whoever holds one of them may
lock those after it and never one before it, or two transactions would deadlock.
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
    # A copy of the connection's, so that due rows are found registration by registration without a join. Two triggers
    # (0021) maintain it: processes of the previous release, which run on during a migration, do not write it.
    registration = models.ForeignKey(ClientRegistration, on_delete=models.PROTECT, related_name="+", db_index=False)
    sealed_access_token = models.BinaryField()
    sealed_refresh_token = models.BinaryField(null=True)
    # The origin that issued the refresh token, or if there is none, the access token: it decides who may be sent them
    # (`directory.pinning`). Empty if the previous release stored it.
    token_origin = models.CharField(max_length=300, blank=True, default="", db_default="")
    generation = models.PositiveIntegerField(default=1)
    attempt_id = models.UUIDField(null=True)
    attempt_started_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    not_before_at = models.DateTimeField(null=True)
    refresh_issued_at = models.DateTimeField(null=True)  # when the request that brought it was sent
    refresh_used_at = models.DateTimeField(
        null=True
    )  # when it was last exchanged, or else issued: idle limits count from then
    refresh_deadline_at = models.DateTimeField(null=True)
    refresh_due_at = models.DateTimeField(null=True)
    # The endpoint, if staff had switched it off when this was due: due again once it is on (`refreshing.parking`).
    parked_endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    access_expires_at = models.DateTimeField(null=True)
    # Whether the server issued a new refresh token at the last refresh; None before the first.
    is_rotated = models.BooleanField(null=True)
    is_session_bound = models.BooleanField(
        default=False, db_default=False
    )  # online_access: it ends with the session at the provider
    # Since when its server refuses it, while that may be a mistake of the server (`refreshing.doubting`).
    refused_at = models.DateTimeField(null=True)
    # When it first refused data although it had just issued the tokens (`refreshing.reopening`). Kept until a new
    # sign-in, even if the record opens again.
    data_refused_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(
        default=0, db_default=0
    )  # failed attempts in a row: each makes the next wait longer
    # When an attempt last raised an unexpected error, for operators; outdated if `tries` is 0.
    broke_off_at = models.DateTimeField(null=True)
    # Since when its provider has not answered, for patients; outdated if `tries` is 0.
    silent_since = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("stored token set")
        verbose_name_plural = _("stored token sets")
        # For `refreshing.choosing`, registration by registration: what is due, what has the nearest deadline, and what
        # may have lost a response. Rows that beat does not refresh are in none of them.
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
            "connection", "registration", "token_origin", "generation", "attempt_id", "attempt_started_at",
            "lease_until", "not_before_at", "refresh_issued_at", "refresh_used_at", "refresh_deadline_at",
            "refresh_due_at", "parked_endpoint", "access_expires_at", "is_rotated", "is_session_bound", "refused_at",
            "data_refused_at", "tries", "broke_off_at", "silent_since",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"token set of connection {self.connection_id}"

    @property
    def is_doubted(self) -> bool:
        """Whether it was refused and is asked for again. Without a due time it is not: the previous release, during a
        deploy, ends a link by clearing only that."""
        return self.refused_at is not None and self.refresh_due_at is not None

    @property
    def is_data_refused(self) -> bool:
        """Whether it is doubted because data was refused: then both are counted from the same moment."""
        return self.refused_at is not None and self.refused_at == self.data_refused_at

    @property
    def is_refreshable(self) -> bool:
        """Whether there is a refresh token; decided without loading it."""
        return self.refresh_issued_at is not None
