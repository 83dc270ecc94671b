"""The stored form of a token set. Only `apps.connections.refreshing` writes it.

Locks are taken in one order: account (without its key), sync run, connection, token set. Whoever holds one of them may
ask for those after it and never for one before it, or two of them would wait for each other for ever.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.connections.models.connection import Connection


class StoredTokenSet(models.Model):
    """A table of its own, so that listing connections never loads a token. The columns are those of the refresh
    protocol (design, section 5)."""

    connection = models.OneToOneField(
        Connection, on_delete=models.CASCADE, primary_key=True, related_name="stored_token_set"
    )
    sealed_access_token = models.BinaryField()
    sealed_refresh_token = models.BinaryField(null=True)
    generation = models.PositiveIntegerField(default=1)
    attempt_id = models.UUIDField(null=True)
    attempt_started_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    not_before_at = models.DateTimeField(null=True)
    refresh_issued_at = models.DateTimeField(null=True)  # when the request that brought it was sent
    refresh_deadline_at = models.DateTimeField(null=True)
    refresh_due_at = models.DateTimeField(null=True)
    access_expires_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("stored token set")
        verbose_name_plural = _("stored token sets")
        indexes = [
            # The beat that refreshes before windows close.
            models.Index(
                fields=["refresh_due_at", "refresh_deadline_at"],
                condition=Q(refresh_due_at__isnull=False),
                name="due_for_refresh",
            ),
        ]

    class Privacy:
        secret = ("sealed_access_token", "sealed_refresh_token")
        operational = (
            "connection", "generation", "attempt_id", "attempt_started_at", "lease_until", "not_before_at",
            "refresh_issued_at", "refresh_deadline_at", "refresh_due_at", "access_expires_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"token set of connection {self.connection_id}"

    @property
    def is_renewable(self) -> bool:
        """Whether a refresh token is kept; told without loading it."""
        return self.refresh_issued_at is not None
