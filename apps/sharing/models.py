"""Shares, each time that somebody opened one, and the files that they opened then."""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class ShareQuerySet(models.QuerySet["Share"]):
    """Queries of shares."""

    def open(self, *, at: datetime) -> "ShareQuerySet":
        """Shares that can be opened with link and passcode."""
        return self.filter(ended_at=None, expires_at__gt=at, tries_left__gt=0, user__is_active=True)


class Share(models.Model):
    """One link that somebody passed on. `sealed_terms` has what may be seen, and what opens it (`apps.sharing.terms`).

    It is found by the hash of its link's token. It is over when it was ended, also by its last try, or when it has
    expired; it cannot be reopened. Those whose last try an earlier release took have no `ended_at`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="shares",
        db_index=False,  # an index below begins with it
    )
    token_hash = models.BinaryField(max_length=32, unique=True)
    sealed_terms = models.BinaryField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    ended_at = models.DateTimeField(null=True)
    # Wrong passcodes still allowed, over its whole life: waiting does not give a guesser more.
    tries_left = models.PositiveSmallIntegerField()
    sealed_wrong = models.BinaryField(null=True)  # wrong passcodes entered on its page
    opened = models.PositiveIntegerField(default=0)
    last_opened_at = models.DateTimeField(null=True)
    # When to mail the owner that wrong passcodes ended it; null before that, and once the mail was sent.
    tell_at = models.DateTimeField(null=True)

    objects = ShareQuerySet.as_manager()

    class Meta:
        verbose_name = _("share")
        verbose_name_plural = _("shares")
        indexes = [
            # A person's own list.
            models.Index(fields=["user", "-created_at"], name="shares_of_a_user"),
            # `ending.purge`, together with the index of `expires_at`.
            models.Index(fields=["ended_at"], condition=Q(ended_at__isnull=False), name="shares_by_their_end"),
            # `lockout_mail.tell`, each minute.
            models.Index(fields=["tell_at"], condition=Q(tell_at__isnull=False), name="shares_to_tell_of"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="share_has_a_time"),
        ]

    class Privacy:
        secret = ("token_hash", "sealed_terms", "sealed_wrong")
        operational = (
            "id", "user", "created_at", "expires_at", "ended_at", "tries_left", "opened", "last_opened_at",
            "tell_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"share {self.pk}"


class Opening(models.Model):
    """Somebody gave the right passcode. `sealed_name` is what they called themselves; nobody checked it."""

    class Way(models.TextChoices):
        """How they came."""

        PAGE = "page", _("Read as a page")
        PROGRAM = "program", _("Fetched by a program")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    share = models.ForeignKey(Share, on_delete=models.CASCADE, related_name="openings", db_index=False)
    at = models.DateTimeField()
    way = models.CharField(max_length=8, choices=Way)
    sealed_name = models.BinaryField()

    class Meta:
        verbose_name = _("opening of a share")
        verbose_name_plural = _("openings of shares")
        # Who came, newest first.
        indexes = [models.Index(fields=["share", "-at"], name="openings_of_a_share")]

    class Privacy:
        personal = ("sealed_name",)
        operational = ("id", "share", "at", "way")

    def __str__(self) -> str:
        return f"opening {self.pk}"


class FileOpening(models.Model):
    """A visitor opened a file, noted once for each file. `file_hash` is a hash of the file's address, which has a
    signature that nobody can guess: it says which openings are of the same file, and not which file that is."""

    opening = models.ForeignKey(Opening, on_delete=models.CASCADE, related_name="files", db_index=False)
    file_hash = models.BinaryField(max_length=32)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("opening of a shared file")
        verbose_name_plural = _("openings of shared files")
        constraints = [models.UniqueConstraint(fields=["opening", "file_hash"], name="one_opening_of_each_file")]

    class Privacy:
        secret = ("file_hash",)
        operational = ("id", "opening", "at")

    def __str__(self) -> str:
        return f"opening of a file {self.pk}"
