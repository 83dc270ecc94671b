"""A connection: a person's lasting link to one endpoint for one patient. Where it is locked together with other rows,
`stored_token_set.py` says in which order."""

import uuid
from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.connections.reasons import Reason
from apps.directory.models import ClientRegistration, Endpoint, Provider


class MoveNotAllowed(Exception):
    """The connection's status does not allow this, or changed meanwhile."""


class ConnectionQuerySet(models.QuerySet["Connection"]):
    """The vocabulary of asking for connections."""

    def living(self) -> Self:
        """Confirmed, and neither ended nor disconnected."""
        return self.filter(status__in=[Connection.Status.ACTIVE, Connection.Status.NEEDS_REAUTHORIZATION])

    def active(self) -> Self:
        """Those that may be synced."""
        return self.filter(status=Connection.Status.ACTIVE)

    def unconfirmed(self) -> Self:
        """Those whose patient has not yet been confirmed."""
        return self.filter(status=Connection.Status.AWAITING_CONFIRMATION)

    def overdue(self, at: datetime) -> Self:
        """Those nobody confirmed in time."""
        return self.unconfirmed().filter(confirm_by_at__lte=at)

    def confirmed(self) -> Self:
        """Those a patient's list shows: whatever was confirmed once."""
        return self.filter(confirmed_at__isnull=False)


class Connection(models.Model):
    """One endpoint may carry several connections of one person: practices share gateways, parents link children."""

    class Status(models.TextChoices):
        """Allowed moves stand in `MOVES`."""

        AWAITING_CONFIRMATION = "awaiting_confirmation", _("awaiting confirmation")
        ACTIVE = "active", _("active")
        NEEDS_REAUTHORIZATION = "needs_reauthorization", _("needs reauthorization")
        ENDED = "ended", _("ended")
        DISCONNECTED = "disconnected", _("disconnected")

    MOVES = {
        Status.AWAITING_CONFIRMATION: {Status.ACTIVE, Status.ENDED, Status.DISCONNECTED},
        Status.ACTIVE: {Status.NEEDS_REAUTHORIZATION, Status.ENDED, Status.DISCONNECTED},
        Status.NEEDS_REAUTHORIZATION: {Status.ACTIVE, Status.ENDED, Status.DISCONNECTED},
        Status.ENDED: {Status.ACTIVE, Status.DISCONNECTED},
        Status.DISCONNECTED: set[Status](),
    }

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="connections")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="connections")
    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="connections")
    registration = models.ForeignKey(ClientRegistration, on_delete=models.PROTECT, related_name="connections")
    status = models.CharField(max_length=24, choices=Status, default=Status.AWAITING_CONFIRMATION)
    # Why it needs somebody, from a closed vocabulary, and since when; empty while all is well.
    reason = models.CharField(max_length=40, choices=Reason, blank=True)
    reason_at = models.DateTimeField(null=True)
    fhir_patient_id = models.CharField(max_length=64, blank=True)
    # What was asked for and what was given, at the latest sign-in. Empty where the interface has no scopes.
    requested_scope = models.CharField(max_length=4000, blank=True)
    granted_scope = models.CharField(max_length=4000, blank=True)
    # Before confirmation only: id, name and birth date of whom the provider named, sealed for the user.
    sealed_candidates = models.BinaryField(null=True, editable=False)
    # Afterwards: name and birth date of the person chosen, as they were shown, sealed for the user.
    sealed_person = models.BinaryField(null=True, editable=False)
    # What came with the tokens besides: who signed in, and which visit was open, sealed for the user.
    sealed_context = models.BinaryField(null=True, editable=False)
    created_at = models.DateTimeField()
    confirm_by_at = models.DateTimeField(null=True)
    confirmed_at = models.DateTimeField(null=True)
    last_checked_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    objects = ConnectionQuerySet.as_manager()

    class Meta:
        verbose_name = _("connection")
        verbose_name_plural = _("connections")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "endpoint", "provider", "fhir_patient_id"],
                condition=Q(status__in=["active", "needs_reauthorization"]),
                name="one_living_connection_per_patient",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["active", "needs_reauthorization"])
                | (~Q(fhir_patient_id="") & Q(confirmed_at__isnull=False)),
                name="a_living_connection_is_confirmed",
            ),
            models.CheckConstraint(
                condition=Q(status="awaiting_confirmation", confirm_by_at__isnull=False)
                | (~Q(status="awaiting_confirmation") & Q(sealed_candidates__isnull=True)),
                name="candidates_only_before_confirmation",
            ),
        ]
        indexes = [
            # The beat that drops unconfirmed links after 30 minutes.
            models.Index(fields=["confirm_by_at"], condition=Q(status="awaiting_confirmation"), name="unconfirmed"),
            # The beat that checks what was not checked for a day, never checked first.
            models.Index(
                F("last_checked_at").asc(nulls_first=True), "id", condition=Q(status="active"), name="active_by_check"
            ),
        ]

    class Privacy:
        health = ("sealed_candidates", "sealed_person", "sealed_context")
        personal = ("fhir_patient_id", "requested_scope", "granted_scope")
        operational = (
            "id", "user", "endpoint", "provider", "registration", "status", "reason", "reason_at", "created_at",
            "confirm_by_at", "confirmed_at", "last_checked_at", "ended_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"connection {self.pk}"

    def confirm(self, *, patient_id: str, at: datetime, sealed_person: bytes | None = None) -> None:
        """The patient said that this person's record is the right one. Raises MoveNotAllowed."""
        self._move(
            self.Status.ACTIVE,
            fhir_patient_id=patient_id,
            confirmed_at=at,
            confirm_by_at=None,
            sealed_candidates=None,
            sealed_person=sealed_person,
        )

    def require_reauthorization(self, reason: Reason, *, at: datetime) -> None:
        """Only a new sign-in at the provider brings it back. Raises MoveNotAllowed."""
        self._move(self.Status.NEEDS_REAUTHORIZATION, reason=reason, reason_at=at)

    def restore(self) -> None:
        """It holds again, after a new sign-in or a refresh that succeeded late. Raises MoveNotAllowed."""
        self._move(self.Status.ACTIVE, reason="", reason_at=None, ended_at=None)

    def disconnect(self, *, at: datetime) -> None:
        """The patient ended it here. Raises MoveNotAllowed."""
        self._move(
            self.Status.DISCONNECTED,
            reason="",
            reason_at=None,
            ended_at=at,
            confirm_by_at=None,
            sealed_candidates=None,
        )

    def _move(self, status: Status, **columns: Any) -> None:
        moved = status in self.MOVES[self.Status(self.status)] and Connection.objects.filter(
            pk=self.pk, status=self.status
        ).update(status=status, **columns)
        if not moved:
            raise MoveNotAllowed
        self.status = status
        for column, value in columns.items():
            setattr(self, column, value)
