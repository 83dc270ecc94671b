"""A connection: a user's lasting link to one endpoint for one patient. `stored_token_set.py` says in which order it is
locked together with other rows."""

import uuid
from datetime import UTC, datetime
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.connections.reasons import Reason
from apps.directory.models import ClientRegistration, Endpoint, Provider
from apps.wire.bundles import LONGEST_ID

LONGEST_URL = 1000
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
# Ends for which no mail is planned yet: those to come, and those that have happened.
LAPSE_IS_NEW = Q(status="active", lapses_at__isnull=False) & ~Q(warnings_planned_for=F("lapses_at"))
END_IS_NEW = Q(status="needs_reauthorization", reason_at__isnull=False) & ~Q(warnings_planned_for=F("reason_at"))


class MoveNotAllowed(Exception):
    """The connection's status does not allow this transition, or changed meanwhile."""


class ConnectionQuerySet(models.QuerySet["Connection"]):
    """Named queries for connections."""

    def living(self) -> Self:
        """Confirmed, and neither ended nor disconnected."""
        return self.filter(status__in=Connection.LIVING)

    def active(self) -> Self:
        """Those that may be synced."""
        return self.filter(status=Connection.Status.ACTIVE)

    def unconfirmed(self) -> Self:
        """Those whose patient has not been confirmed yet."""
        return self.filter(status=Connection.Status.AWAITING_CONFIRMATION)

    def overdue(self, at: datetime) -> Self:
        """Those that nobody confirmed in time."""
        return self.unconfirmed().filter(confirm_by_at__lte=at)

    def confirmed(self) -> Self:
        """Those that were ever confirmed: a patient's list shows them."""
        return self.filter(confirmed_at__isnull=False)


class Connection(models.Model):
    """A user can have several connections to one endpoint: practices share gateways, and parents link children."""

    class Status(models.TextChoices):
        """`MOVES` has the allowed transitions."""

        AWAITING_CONFIRMATION = "awaiting_confirmation", _("awaiting confirmation")
        ACTIVE = "active", _("active")
        NEEDS_REAUTHORIZATION = "needs_reauthorization", _("needs reauthorization")
        ENDED = "ended", _("ended")
        DISCONNECTED = "disconnected", _("disconnected")

    LIVING = (Status.ACTIVE, Status.NEEDS_REAUTHORIZATION)

    MOVES = {
        Status.AWAITING_CONFIRMATION: {Status.ACTIVE, Status.ENDED, Status.DISCONNECTED},
        Status.ACTIVE: {Status.NEEDS_REAUTHORIZATION, Status.ENDED, Status.DISCONNECTED},
        Status.NEEDS_REAUTHORIZATION: {Status.ACTIVE, Status.ENDED, Status.DISCONNECTED},
        Status.ENDED: {Status.ACTIVE, Status.DISCONNECTED},
        Status.DISCONNECTED: set[Status](),
    }

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="connections", verbose_name=_("user")
    )
    endpoint = models.ForeignKey(
        Endpoint, on_delete=models.PROTECT, related_name="connections", verbose_name=_("endpoint")
    )
    provider = models.ForeignKey(
        Provider, on_delete=models.PROTECT, related_name="connections", verbose_name=_("provider")
    )
    # `links_by_standing` begins with it.
    registration = models.ForeignKey(
        ClientRegistration,
        on_delete=models.PROTECT,
        related_name="connections",
        db_index=False,
        verbose_name=_("client registration"),
    )
    status = models.CharField(_("status"), max_length=24, choices=Status, default=Status.AWAITING_CONFIRMATION)
    # Why it needs a new sign-in, from a closed vocabulary, and since when; empty while all is well.
    reason = models.CharField(_("reason"), max_length=40, choices=Reason, blank=True)
    reason_at = models.DateTimeField(_("reason since"), null=True)
    fhir_patient_id = models.CharField(max_length=LONGEST_ID, blank=True)
    # What was asked for and what was granted, at the latest sign-in. Empty if the interface has no scopes.
    requested_scope = models.CharField(max_length=4000, blank=True)
    granted_scope = models.CharField(max_length=4000, blank=True)
    # Before confirmation only: id, name and birth date of the people found, sealed for the user.
    sealed_candidates = models.BinaryField(null=True, editable=False)
    # Afterwards: name and birth date of the confirmed person, as they were shown, sealed for the user.
    sealed_person = models.BinaryField(null=True, editable=False)
    # The launch context: who signed in, and which visit was open, sealed for the user.
    sealed_context = models.BinaryField(null=True, editable=False)
    created_at = models.DateTimeField(_("made"))
    confirm_by_at = models.DateTimeField(_("to be confirmed by"), null=True)
    confirmed_at = models.DateTimeField(_("confirmed"), null=True)
    last_checked_at = models.DateTimeField(_("last checked"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)
    # When the permission ends whatever we do, if that is known: the server does not rotate, so nothing prolongs its
    # window. Written together with the tokens.
    lapses_at = models.DateTimeField(null=True)
    # The end for which mail was last planned: `lapses_at`, or `reason_at` if it has ended. And whether the patient
    # wants no mail about this connection. Both belong to `apps.connections.lapse_warnings`.
    warnings_planned_for = models.DateTimeField(default=NEVER, db_default=NEVER, editable=False)
    is_muted = models.BooleanField(default=False, db_default=False)
    # The provider's own page about why it ended, on its own host only; empty while all is well.
    more_url = models.URLField(max_length=LONGEST_URL, blank=True, default="", db_default="")

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
            # For operators: counts of a registration's links by status and reason, from the index alone.
            models.Index(fields=["registration", "status", "reason"], name="links_by_standing"),
            # For operators: lists by status, or by reason, page by page.
            models.Index(fields=["status", "id"], name="links_in_order"),
            models.Index(fields=["reason", "id"], condition=~Q(reason=""), name="reasons_in_order"),
            # The beat that drops unconfirmed links after 30 minutes.
            models.Index(fields=["confirm_by_at"], condition=Q(status="awaiting_confirmation"), name="unconfirmed"),
            # The beat that checks what was not checked for a day, never checked first.
            models.Index(
                F("last_checked_at").asc(nulls_first=True), "id", condition=Q(status="active"), name="active_by_check"
            ),
            # The beat that checks once more what will end.
            models.Index(
                fields=["lapses_at"], condition=Q(status="active", lapses_at__isnull=False), name="active_by_lapse"
            ),
            # The beat that plans mail about ends: both shrink to what is new.
            models.Index(fields=["id"], condition=LAPSE_IS_NEW, name="lapses_to_plan"),
            models.Index(fields=["id"], condition=END_IS_NEW, name="ends_to_plan"),
        ]

    class Privacy:
        health = ("sealed_candidates", "sealed_person", "sealed_context")
        personal = ("fhir_patient_id", "requested_scope", "granted_scope")
        operational = (
            "id", "user", "endpoint", "provider", "registration", "status", "reason", "reason_at", "created_at",
            "confirm_by_at", "confirmed_at", "last_checked_at", "ended_at", "lapses_at", "warnings_planned_for",
            "is_muted", "more_url",
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

    def require_reauthorization(self, reason: Reason, *, at: datetime, more_url: str = "") -> None:
        """From now on only a new sign-in at the provider brings it back. `more_url` is the provider's own page about
        it, if it named one; a URL that is too long is not stored. Raises MoveNotAllowed."""
        kept_url = more_url if len(more_url) <= LONGEST_URL else ""
        self._move(self.Status.NEEDS_REAUTHORIZATION, reason=reason, reason_at=at, more_url=kept_url)

    def restore(self) -> None:
        """Make it active again, after a new sign-in or a refresh that succeeded late. Raises MoveNotAllowed."""
        self._move(self.Status.ACTIVE, reason="", reason_at=None, more_url="", ended_at=None)

    def disconnect(self, *, at: datetime) -> None:
        """The patient ended it here. Raises MoveNotAllowed."""
        self._move(
            self.Status.DISCONNECTED,
            reason="",
            reason_at=None,
            more_url="",
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
