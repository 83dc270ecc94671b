"""Users, their sessions, consents and choices about mail, and breaches that they are told of."""

import uuid
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.auth.password_validation import validate_password
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    """Creates users by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **columns: Any) -> "User":
        """A person who can sign in once their address is verified."""
        user = self.model(email=self.normalize_email(email).lower(), **columns)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **columns: Any) -> "User":
        """A member of staff with every permission, as `createsuperuser` makes them. Raises ValidationError for a
        password that is not allowed: that command does not validate it when it runs without a terminal."""
        if password is not None:
            validate_password(password, self.model(email=email, **columns))
        return self.create_user(email, password, is_staff=True, is_superuser=True, **columns)


class User(AbstractBaseUser, PermissionsMixin):
    """A person signed in here. The patient of a connection may be somebody else: a parent links a child's record."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(_("e-mail address"), unique=True)
    first_name = models.CharField(_("first name"), max_length=60, blank=True)
    language = models.CharField(_("language"), max_length=8, default="en")
    # A name of the tz database; empty if they never chose one, which means UTC.
    time_zone = models.CharField(_("time zone"), max_length=64, blank=True, default="", db_default="")
    # Whether a page of warning comes before an entry that may contain grave news.
    # Pages say "sensitive news"; `sensitive` alone is what many people keep to themselves (`presenters.sensitivity`).
    asks_before_grave_news = models.BooleanField(
        _("is asked before sensitive news"), default=True, db_default=True, db_column="asks_before_sensitive"
    )
    # Whether there is a notice of a breach for them to read: Home need not look for one each time.
    has_breach_to_read = models.BooleanField(default=False, db_default=False, editable=False)
    is_staff = models.BooleanField(_("works here"), default=False)
    is_active = models.BooleanField(_("may sign in"), default=True)
    joined_at = models.DateTimeField(_("joined"), default=timezone.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")

    class Privacy:
        secret = ("password",)
        personal = ("email", "first_name", "language", "time_zone", "asks_before_grave_news")
        operational = (
            "id", "has_breach_to_read", "is_staff", "is_active", "is_superuser", "joined_at", "last_login",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"user {self.pk}"


class Session(models.Model):
    """One browser's session. Only its cookie can find and open it (`apps/accounts/sessions.py`)."""

    key_digest = models.CharField(primary_key=True, max_length=64, editable=False)
    sealed_data = models.BinaryField()
    expires_at = models.DateTimeField(db_index=True)
    # For the owner's list of sessions; who is signed in is decided by the sealed data.
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="sessions")
    signed_in_at = models.DateTimeField(null=True)
    ip_address = models.GenericIPAddressField(null=True)
    user_agent = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = _("session")
        verbose_name_plural = _("sessions")

    class Privacy:
        secret = ("key_digest", "sealed_data")
        personal = ("ip_address", "user_agent")
        operational = ("expires_at", "user", "signed_in_at")

    def __str__(self) -> str:
        return "session"


class Consent(models.Model):
    """One person agreed to one version of our notice. Required before the first link; never changed."""

    class Declaration(models.TextChoices):
        """Who may agree (interface facts, section 7: 18 or older, or a parent's declaration)."""

        ADULT = "adult", _("I am 18 or older")
        PARENT = "parent", _("I am the parent or guardian of the person whose record this is")

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="consents")
    notice_version = models.CharField(_("version of the notice"), max_length=20)
    declaration = models.CharField(_("declaration"), max_length=10, choices=Declaration)
    language = models.CharField(_("language it was read in"), max_length=8)
    agreed_at = models.DateTimeField(_("agreed"))

    class Meta:
        verbose_name = _("consent")
        verbose_name_plural = _("consents")
        constraints = [models.UniqueConstraint(fields=["user", "notice_version"], name="one_consent_per_notice")]

    class Privacy:
        personal = ("declaration", "language")
        operational = ("id", "user", "notice_version", "agreed_at")

    def __str__(self) -> str:
        return f"consent {self.pk}"


def usual_hours() -> list[int]:
    """Half a day before the end: a link that lives 48 hours then leaves an evening or a morning to sign in."""
    return [12]


class WarningChoices(models.Model):
    """When a person wants mail about connections that end, and whether they want mail about news in their record. A
    person who never chose has no row, and the defaults."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, primary_key=True, related_name="warning_choices")
    # How many hours before a known end to send mail; empty if they want none.
    hours_before = ArrayField(models.PositiveSmallIntegerField(), default=usual_hours, blank=True)
    tells_of_ends = models.BooleanField(_("also when one ended unexpectedly"), default=True)
    names_providers = models.BooleanField(_("name my providers in e-mails"), default=False)
    tells_of_news = models.BooleanField(_("when something new came into my record"), default=False, db_default=False)
    # When to look for news next, and up to what time news was told; `apps.records.announcing` sets both. Empty if they
    # want no such mail.
    news_due_at = models.DateTimeField(null=True)
    news_told_until = models.DateTimeField(null=True)
    changed_at = models.DateTimeField()
    # Whether mail planned by earlier choices was planned again (`apps.connections.lapse_warnings`).
    is_taken_up = models.BooleanField(default=False, db_default=False)

    class Meta:
        verbose_name = _("choices about warnings")
        verbose_name_plural = _("choices about warnings")
        indexes = [
            models.Index(fields=["user"], condition=models.Q(is_taken_up=False), name="choices_not_taken_up"),
            # For the scheduled mail about news.
            models.Index(fields=["news_due_at"], condition=models.Q(tells_of_news=True), name="news_to_look_for"),
        ]

    class Privacy:
        personal = ("hours_before", "tells_of_ends", "names_providers", "tells_of_news")
        operational = ("user", "changed_at", "is_taken_up", "news_due_at", "news_told_until")

    def __str__(self) -> str:
        return f"choices of user {self.user_id}"


class Breach(models.Model):
    """Somebody may have seen records who should not have. Everybody whom that concerns is told in the same words, which
    are never changed: people were told exactly that."""

    english = models.TextField(_("in English"))
    spanish = models.TextField(_("in Spanish"))
    announced_at = models.DateTimeField(_("announced"))

    class Meta:
        verbose_name = _("breach")
        verbose_name_plural = _("breaches")

    class Privacy:
        operational = ("id", "english", "spanish", "announced_at")

    def __str__(self) -> str:
        return f"breach {self.pk}"

    def words_in(self, language: str) -> str:
        """In this language, or in English."""
        return self.spanish if language.partition("-")[0] == "es" else self.english


class BreachNotice(models.Model):
    """One person is told of a breach: by e-mail, and on Home until they have read it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    breach = models.ForeignKey(Breach, models.CASCADE, verbose_name=_("breach"), related_name="notices")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="breach_notices")
    mail_due_at = models.DateTimeField(null=True)  # empty once the mail was sent, or was tried too often
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    mailed_at = models.DateTimeField(null=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("notice of a breach")
        verbose_name_plural = _("notices of breaches")
        constraints = [models.UniqueConstraint(fields=["breach", "user"], name="one_notice_of_a_breach")]
        indexes = [
            # For the scheduled mail.
            models.Index(
                fields=["mail_due_at"], condition=models.Q(mail_due_at__isnull=False), name="breach_mail_in_order"
            ),
        ]

    class Privacy:
        personal = ("read_at",)
        operational = ("id", "breach", "user", "mail_due_at", "tries", "mailed_at")

    def __str__(self) -> str:
        return f"notice {self.pk}"
