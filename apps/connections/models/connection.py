"""A connection: a person's lasting link to one endpoint for one patient."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.directory.models import ClientRegistration, Endpoint, Provider


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
    # Why it needs somebody, from a closed vocabulary (`apps.connections.reasons`); empty while all is well.
    reason = models.CharField(max_length=40, blank=True)
    fhir_patient_id = models.CharField(max_length=64, blank=True)
    granted_scope = models.CharField(max_length=4000, blank=True)
    # Before confirmation only: id, name and birth date of whom the provider named, sealed for the user.
    sealed_candidates = models.BinaryField(null=True, editable=False)
    created_at = models.DateTimeField()
    confirm_by_at = models.DateTimeField(null=True)
    confirmed_at = models.DateTimeField(null=True)
    last_checked_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

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
        ]

    class Privacy:
        health = ("sealed_candidates",)
        personal = ("fhir_patient_id", "granted_scope")
        operational = (
            "id", "user", "endpoint", "provider", "registration", "status", "reason", "created_at", "confirm_by_at",
            "confirmed_at", "last_checked_at", "ended_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"connection {self.pk}"
