"""A sync run: one attempt to bring a connection's records up to date, with one step per resource type."""

import uuid
from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Case, Q, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from apps.connections.models import Connection
from apps.wire.bundles import LONGEST_ID

_BELIEVED = timedelta(minutes=5)  # clocks of ours may differ by less


def _newest_first(at: datetime) -> tuple[Case, str]:
    ended_ahead = When(created_at__gt=at + _BELIEVED, finished_at__isnull=False, then=Value(1))
    return Case(ended_ahead, default=Value(0)), "-created_at"


class SyncRunQuerySet(models.QuerySet["SyncRun"]):
    """Runs, with their orders."""

    def newest_first(self, *, at: datetime) -> Self:
        """Newest first; but runs that ended in the future, by a clock that was ahead, come after all others: anything
        started since counts more."""
        return self.order_by(*_newest_first(at))

    def newest_of_each(self, *, at: datetime) -> Self:
        """The newest run of each connection."""
        return self.order_by("connection", *_newest_first(at)).distinct("connection")


class SyncRun(models.Model):
    """Outcome partial is normal: one failing type never hides the others."""

    class Outcome(models.TextChoices):
        """How it ended; empty while the run is open."""

        COMPLETE = "complete", _("complete")
        PARTIAL = "partial", _("partial")
        FAILED = "failed", _("failed")

    class Cause(models.TextChoices):
        """Who asked for it, or what."""

        CONFIRMED = "confirmed", _("first copy after confirmation")
        PATIENT = "patient", _("the patient asked")
        SCHEDULE = "schedule", _("by the clock")

    ASKED_FOR = (Cause.CONFIRMED, Cause.PATIENT)  # a person waits for these, and watches their progress

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("user")
    )
    connection = models.ForeignKey(
        Connection, on_delete=models.CASCADE, related_name="sync_runs", verbose_name=_("connection")
    )
    cause = models.CharField(_("cause"), max_length=12, choices=Cause)
    outcome = models.CharField(_("outcome"), max_length=12, choices=Outcome, blank=True)
    created_at = models.DateTimeField(_("opened"))
    # Held by one worker until then (`claim_id` says which), or paused until then (no claim); after that, any worker
    # resumes it.
    lease_until = models.DateTimeField(_("held or paused until"), null=True)
    claim_id = models.UUIDField(_("held by"), null=True)
    # How often it waited for a provider that did not answer.
    pauses = models.PositiveSmallIntegerField(_("pauses"), default=0)
    # How many workers in a row died or hung over it with no step in hand: while planning, or building shelves.
    deaths = models.PositiveSmallIntegerField(default=0, db_default=0)
    # When its steps were made, from what the provider offers.
    planned_at = models.DateTimeField(_("planned"), null=True)
    # The version of FHIR that the provider states.
    stated_version = models.CharField(_("FHIR version it states"), max_length=8, blank=True, default="", db_default="")
    # Whether it asks for everything, and so proves what is gone.
    is_full = models.BooleanField(_("whole run"), default=True, db_default=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = SyncRunQuerySet.as_manager()

    class Meta:
        verbose_name = _("sync run")
        verbose_name_plural = _("sync runs")
        constraints = [
            models.UniqueConstraint(
                fields=["connection"], condition=Q(finished_at__isnull=True), name="one_open_run_per_connection"
            ),
            models.CheckConstraint(
                condition=Q(finished_at__isnull=True, outcome="") | (Q(finished_at__isnull=False) & ~Q(outcome="")),
                name="a_finished_run_has_an_outcome",
            ),
        ]
        indexes = [
            # For the beat that resumes what a crash or a pause left open.
            models.Index(fields=["lease_until"], condition=Q(finished_at__isnull=True), name="open_sync_runs"),
            # For the worker that looks for the most urgent run (`leasing`), even if a hundred thousand wait.
            models.Index(
                Case(When(cause__in=["confirmed", "patient"], then=Value(0)), default=Value(1)),
                Coalesce("lease_until", "created_at"),
                "id",
                condition=Q(finished_at__isnull=True),
                name="sync_runs_by_urgency",
            ),
            # For the beat that deletes old ones.
            models.Index(fields=["finished_at"], condition=Q(finished_at__isnull=False), name="finished_sync_runs"),
            # For the record page: the latest runs of one connection.
            models.Index(fields=["connection", "-created_at"], name="sync_runs_of_connection"),
        ]

    class Privacy:
        operational = (
            "id", "user", "connection", "cause", "outcome", "created_at", "lease_until", "claim_id", "pauses",
            "deaths", "planned_at", "stated_version", "is_full", "finished_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"sync run {self.pk}"


class SyncStep(models.Model):
    """One resource type within a run: a line of the ledger."""

    class Status(models.TextChoices):
        """The state of a step."""

        WAITING = "waiting", _("waiting")
        GETTING = "getting", _("getting")
        COMPLETE = "complete", _("complete")
        GAP = "gap", _("something is missing")

    class Gap(models.TextChoices):
        """Why something is missing, from a closed vocabulary; pages put it into words."""

        NOT_SHARED = "not_shared", _("not shared")
        NOT_OFFERED = "not_offered", _("not offered")
        NOT_ENABLED = "not_enabled", _("everything refused")
        REFUSED = "refused", _("request refused")
        UNAVAILABLE = "unavailable", _("provider not answering")
        UNREADABLE = "unreadable", _("answer not readable")
        STOPPED_SHORT = "stopped_short", _("fewer than counted")
        SIGN_IN_NEEDED = "sign_in_needed", _("sign-in needed")
        OTHER_PATIENT = "other_patient", _("rows of another patient")
        TOO_MUCH = "too_much", _("more than we take")
        WORKER_DIED = "worker_died", _("our worker died over it")
        UNSEEN = "unseen", _("not seen, in doubt")
        TURNED_AWAY = "turned_away", _("a good token refused")

    # Decided by the patient or the provider: trying again closes none of these.
    SETTLED = frozenset({Gap.NOT_SHARED, Gap.NOT_OFFERED, Gap.TURNED_AWAY})

    run = models.ForeignKey(SyncRun, on_delete=models.CASCADE, related_name="steps", verbose_name=_("sync run"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("user")
    )
    resource_type = models.CharField(_("resource type"), max_length=64)
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.WAITING)
    gap = models.CharField(_("reason for the gap"), max_length=20, choices=Gap, blank=True)
    # How it is asked for: `syncing.planning.Asking`; empty in runs of old releases.
    asked = models.JSONField(_("how it is asked for"), null=True)
    # Only changes since then are asked for; if empty, everything.
    since_at = models.DateTimeField(_("asks for changes since"), null=True)
    sealed_cursor = models.BinaryField(null=True)  # includes the next page's address, which can contain a patient's id
    sealed_page = models.BinaryField(null=True)  # a page whose rows are not stored yet: `syncing.paging.staged_pages`
    watermark_at = models.DateTimeField(_("covered until"), null=True)
    pages = models.PositiveIntegerField(_("pages"), default=0)
    bytes_got = models.PositiveBigIntegerField(_("bytes received"), default=0)
    rows_got = models.PositiveIntegerField(_("rows received"), default=0)
    rows_kept = models.PositiveIntegerField(_("rows kept"), default=0)
    # Named another patient, and not stored.
    rows_refused = models.PositiveIntegerField(_("rows of another patient"), default=0)
    # Entries that were not an identifiable resource.
    rows_unreadable = models.PositiveIntegerField(_("rows not readable"), default=0)
    # Of those stored, new ones and those that differ from ours.
    rows_changed = models.PositiveIntegerField(_("rows new or changed"), default=0, db_default=0)
    # Results among them that were only ordered, or could still change, before (`received_rows.final_results`).
    rows_concluded = models.PositiveIntegerField(_("results concluded"), default=0, db_default=0)
    # Rows that we had, and that a full proof did not bring.
    rows_removed = models.PositiveIntegerField(_("rows gone"), default=0, db_default=0)
    # References whose target could not be read.
    rows_missing = models.PositiveIntegerField(_("references without an answer"), default=0, db_default=0)
    # The provider's own total, which may be wrong.
    rows_counted = models.PositiveIntegerField(_("rows by the provider's count"), null=True)
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    # Refused, but the refusal is not believed yet (`withholding`).
    is_refusal_doubted = models.BooleanField(_("refused, in doubt"), default=False, db_default=False)
    # Whether its rows refer to what gives entries names (`shelving.contexts`).
    refers = models.BooleanField(_("names what is read after it"), default=False, db_default=False)
    # Whether what it brought is not on the shelves yet.
    needs_shelf = models.BooleanField(_("not on the shelves yet"), default=False, db_default=False)
    claim_id = models.UUIDField(_("held by"), null=True)  # of the worker that holds it, or held it last
    deaths = models.PositiveSmallIntegerField(default=0, db_default=0)  # of workers, since it last brought something

    class Meta:
        verbose_name = _("sync step")
        verbose_name_plural = _("sync steps")
        constraints = [
            models.UniqueConstraint(fields=["run", "resource_type"], name="one_step_per_resource_type"),
            models.CheckConstraint(
                condition=Q(status="gap") & ~Q(gap="") | ~Q(status="gap") & Q(gap=""), name="a_gap_has_a_reason"
            ),
        ]
        indexes = [
            # For what operators ask each day (`syncing.sync_health`).
            models.Index(fields=["finished_at"], condition=Q(gap="worker_died"), name="sync_steps_given_up"),
            # For what a monitor asks each minute (`syncing.metrics`): the gaps of some runs among millions of steps.
            models.Index(
                fields=["run"],
                include=["gap"],
                condition=Q(status="gap") & ~Q(gap__in=["not_offered", "not_shared"]),
                name="sync_steps_with_gaps",
            ),
        ]

    class Privacy:
        health = ("sealed_page",)
        personal = ("sealed_cursor",)
        operational = (
            "id", "run", "user", "resource_type", "status", "gap", "asked", "since_at", "watermark_at", "pages",
            "bytes_got", "rows_got", "rows_kept", "rows_refused", "rows_unreadable", "rows_changed", "rows_concluded",
            "rows_removed", "rows_missing", "rows_counted", "started_at", "finished_at", "is_refusal_doubted", "refers",
            "needs_shelf", "claim_id", "deaths",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"sync step {self.pk}"

    @property
    def known_gap(self) -> Gap:
        """For a step with a gap: its reason. One that a newer release wrote has no words here, and reads as not got."""
        return self.Gap(self.gap) if self.gap in self.Gap.values else self.Gap.UNAVAILABLE

    @property
    def came_in_part(self) -> bool:
        """For a step with a gap: whether some of it came, now or earlier. If only changes are asked for, the earlier
        copy counts."""
        return bool(self.rows_kept or (self.gap and self.watermark_at))


class PendingRead(models.Model):
    """A resource to which rows of this run refer, such as a practitioner: read once, after the searches.

    A row stays until its run ends, so that nothing is read twice; `is_done` if it was read, or cannot be. One that got
    no answer stays for the next run (`syncing.unanswered_references`): rows that did not change would not name it
    again.
    """

    run = models.ForeignKey(SyncRun, on_delete=models.CASCADE, related_name="pending_reads")
    resource_type = models.CharField(max_length=64)
    logical_id = models.CharField(max_length=LONGEST_ID)
    depth = models.PositiveSmallIntegerField(default=0)  # how many references away from what was searched
    is_done = models.BooleanField(default=False)
    is_owed = models.BooleanField(default=False, db_default=False)  # asked for in vain, in this run or one before

    class Meta:
        verbose_name = _("reference to read")
        verbose_name_plural = _("references to read")
        constraints = [
            models.UniqueConstraint(fields=["run", "resource_type", "logical_id"], name="each_reference_once_per_run")
        ]

    class Privacy:
        personal = ("logical_id",)
        operational = ("id", "run", "resource_type", "depth", "is_done", "is_owed")

    def __str__(self) -> str:
        return f"reference to read {self.pk}"
