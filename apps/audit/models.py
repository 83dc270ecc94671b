"""The audit log: who did what to which thing, and when. Rows are only added; the database refuses anything else."""

import uuid

from django.db import models
from django.db.models import Func, Q, TextField, Value
from django.db.models.lookups import Exact
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class EventType(models.TextChoices):
    """Everything that we log. A value that was used is never renamed."""

    USER_SIGNED_UP = "user.signed_up", _("Account created")
    USER_SIGNED_IN = "user.signed_in", _("Signed in")
    USER_SIGNED_OUT = "user.signed_out", _("Signed out")
    USER_SIGN_IN_FAILED = "user.sign_in_failed", _("Wrong password or code")
    USER_LOCKED_OUT = "user.locked_out", _("Locked out after wrong passwords")
    USER_EMAIL_CHANGED = "user.email_changed", _("E-mail address changed")
    USER_PASSWORD_CHANGED = "user.password_changed", _("Password changed")
    USER_AUTHENTICATOR_CHANGED = "user.authenticator_changed", _("Second sign-in step changed")
    USER_WARNINGS_CHOSEN = "user.warnings_chosen", _("Choice of e-mails changed")
    USER_TOLD_OF_NEWS = "user.told_of_news", _("Notice sent by e-mail: something is new")
    USER_TOLD_OF_PROVIDER = "user.told_of_provider", _("Notice sent by e-mail: a provider can be connected")
    USER_TOLD_OF_BREACH = "user.told_of_breach", _("Notice sent by e-mail: somebody may have seen your record")
    USER_SESSION_ENDED = "user.session_ended", _("Session ended")
    USER_PURGED = "user.purged", _("Unverified account removed")
    USER_STOPPED = "user.stopped", _("Blocked from signing in")
    USER_LET_IN = "user.let_in", _("Allowed to sign in again")
    USER_RIGHTS_CHANGED = "user.rights_changed", _("What they may do as staff changed")
    GROUP_CHANGED = "group.changed", _("What a group of staff may do changed")
    CONSENT_GIVEN = "consent.given", _("Consent given")
    CONNECTION_REQUESTED = "connection.requested", _("Went to the provider to sign in")
    CONNECTION_FOUND = "connection.found", _("Record found")
    CONNECTION_CONFIRMED = "connection.confirmed", _("Record confirmed")
    CONNECTION_DECLINED = "connection.declined", _("Record declined")
    CONNECTION_FAILED = "connection.failed", _("Connection not made")
    CONNECTION_REAUTHORIZED = "connection.reauthorized", _("Signed in to the provider again")
    CONNECTION_NEEDS_REAUTHORIZATION = "connection.needs_reauthorization", _("New sign-in needed")
    CONNECTION_DISCONNECTED = "connection.disconnected", _("Disconnected")
    CONNECTION_WARNED = "connection.warned", _("Reminder sent by e-mail")
    CONNECTION_EXPIRED = "connection.expired", _("Connection dropped: nobody said whose record it is")
    TOKENS_EXCHANGED = "tokens.exchanged", _("Permission received")
    TOKENS_REFRESHED = "tokens.refreshed", _("Permission renewed")
    TOKENS_REFUSED = "tokens.refused", _("Renewal refused by the provider")
    TOKENS_REVOKED = "tokens.revoked", _("Permission ended at the provider")
    SYNC_STARTED = "sync.started", _("Copying started")
    SYNC_FINISHED = "sync.finished", _("Copying finished")
    RECORD_VIEWED = "record.viewed", _("Record viewed")
    RECORD_EXPORTED = "record.exported", _("Record exported")
    RECORD_FORGOTTEN = "record.forgotten", _("Copies deleted")
    RECORD_REFUSED = "record.refused", _("Entries about someone else not kept")
    RECORD_DISCARDED = "record.discarded", _("Entries about someone else deleted")
    SHARE_MADE = "share.made", _("Share made")
    SHARE_OPENED = "share.opened", _("Share opened")
    SHARE_FILE_OPENED = "share.file_opened", _("File of a share opened")
    SHARE_REFUSED = "share.refused", _("Wrong passcode for a share")
    SHARE_ENDED = "share.ended", _("Share ended")
    REGISTRATION_CHANGED = "registration.changed", _("Client registration changed")
    REGISTRATION_SECRET_CHANGED = "registration.secret_changed", _("Client secret replaced")
    REGISTRATION_TRIED = "registration.tried", _("Client registration tried out")
    DIRECTORY_IMPORTED = "directory.imported", _("Directory imported")
    DIRECTORY_CHANGED = "directory.changed", _("Directory changed")
    KEYS_REWRAPPED = "keys.rewrapped", _("Data keys wrapped anew")
    KEYS_RENEWED = "keys.renewed", _("Data keys replaced")
    BREACH_ANNOUNCED = "breach.announced", _("People told that somebody may have seen their record")
    BREACH_WITHDRAWN = "breach.withdrawn", _("No more people told that somebody may have seen their record")
    DELETIONS_REPLAYED = "deletions.replayed", _("Deletions done again after restoring a backup")
    BULK_EXPORT_STARTED = "bulk_export.started", _("Bulk export started")
    BULK_EXPORT_FINISHED = "bulk_export.finished", _("Bulk export ended")
    STAFF_VIEWED = "staff.viewed", _("Viewed by staff")
    ACTIVITY_SAVED = "activity.saved", _("Activity saved as a file")
    ACCOUNT_CLOSED = "account.closed", _("Account closed")


def event_types() -> list[tuple[str, str | Promise]]:
    """Every value with its words. The field takes this function, so that a new type needs no migration."""
    return [(event.value, event.label) for event in EventType]


class ActorKind(models.TextChoices):
    """Who can act."""

    USER = "user", _("User")
    STAFF = "staff", _("Staff")
    SYSTEM = "system", _("System")


class AuditEvent(models.Model):
    """One event. Only `recording` writes it, in the transaction of the change it describes.

    No foreign keys on purpose: the log must neither block a change nor lose a row to one. A trigger refuses UPDATE,
    DELETE and TRUNCATE (migration 0001).
    """

    at = models.DateTimeField(_("when"))
    event = models.CharField(_("event"), max_length=40, choices=event_types)
    actor_kind = models.CharField(_("actor"), max_length=8, choices=ActorKind)
    actor_id = models.UUIDField(_("actor's id"), null=True)
    actor_name = models.CharField(_("part of the system"), max_length=64, blank=True)
    user_id = models.UUIDField(_("user it concerns"), null=True)
    subject = models.CharField(_("thing"), max_length=64, blank=True)
    subject_id = models.CharField(_("thing's id"), max_length=64, blank=True)
    facts = models.JSONField(_("facts"), default=dict)

    class Meta:
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        indexes = [
            # The patient's own activity page, and staff looking into one account; both newest first.
            models.Index(fields=["user_id", "-id"], name="audit_of_user"),
            # Staff looking into one connection or registration, and how a link ended.
            models.Index(fields=["subject_id", "-id"], name="audit_of_subject"),
            # What one member of staff did. What a user did concerns the user, and is found by the first.
            models.Index(fields=["actor_id", "-id"], condition=Q(actor_kind="staff"), name="audit_by_staff"),
            # The admin's date filter.
            models.Index(fields=["-at"], name="audit_by_time"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(actor_kind=ActorKind.SYSTEM, actor_id__isnull=True) & ~Q(actor_name="")
                | Q(actor_kind__in=[ActorKind.USER, ActorKind.STAFF], actor_id__isnull=False, actor_name=""),
                name="audit_actor_is_a_person_or_a_part_of_the_system",
            ),
            models.CheckConstraint(
                condition=Exact(Func("facts", function="jsonb_typeof", output_field=TextField()), Value("object")),
                name="audit_facts_are_an_object",
            ),
            models.CheckConstraint(
                condition=Q(subject="", subject_id="") | ~Q(subject=""),
                name="audit_subject_id_has_a_subject",
            ),
        ]

    class Privacy:
        operational = (
            *("id", "at", "event", "actor_kind", "actor_id", "actor_name"),
            *("user_id", "subject", "subject_id", "facts"),
        )

    def __str__(self) -> str:
        """What happened, but not to whom or by whom."""
        return f"{self.event} #{self.pk}"


class Restoration(models.Model):
    """The database was restored from a backup, and later deletions were repeated. Rows from before may be out of date,
    while others, such as providers, have newer ones. Rows are only ever added."""

    at = models.DateTimeField()

    class Meta:
        verbose_name = _("restoration")
        verbose_name_plural = _("restorations")

    class Privacy:
        operational = ("id", "at")

    def __str__(self) -> str:
        return f"restoration {self.pk}"


class Deletion(models.Model):
    """A deletion that is not yet in the ledger outside this database (`deletion_ledger`).

    Only `deletions.note` adds it, in the transaction that deletes; it is removed once the ledger has it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    event = models.CharField(max_length=40, choices=event_types)
    at = models.DateTimeField()
    user_id = models.UUIDField()
    connection_id = models.UUIDField(null=True)

    class Meta:
        verbose_name = _("deletion for the ledger")
        verbose_name_plural = _("deletions for the ledger")

    class Privacy:
        operational = ("id", "event", "at", "user_id", "connection_id")

    def __str__(self) -> str:
        """What happened, but not to whom."""
        return f"{self.event}"
