"""A wish: somebody wants a provider that cannot be connected, or that no directory lists."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.directory.models.provider import Provider
from apps.directory.words import spelling


class Wish(models.Model):
    """Of a provider in the directory, or of one by name. It is deleted with its user; staff see how many there are of a
    provider, and never whose."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="wishes")
    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="wishes", null=True)
    name = models.CharField(max_length=200, blank=True)
    city = models.CharField(max_length=100, blank=True)
    # Name and city as searching compares them, empty where a listed provider is named: equal for spellings of one.
    plain_name = models.CharField(max_length=200, editable=False, default="", db_default="")
    plain_city = models.CharField(max_length=100, editable=False, default="", db_default="")
    created_at = models.DateTimeField()
    # Whoever waits to be told: since when, when to look next whether it works, and whether only a sign-in shows it.
    waits_since = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    needs_sign_in = models.BooleanField(default=False, db_default=False)

    class Meta:
        verbose_name = _("wish")
        verbose_name_plural = _("wishes")
        indexes = [
            models.Index(fields=["plain_name", "plain_city"], condition=Q(provider=None), name="wishes_by_name"),
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="wishes_due"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "provider"], name="one_wish_per_user_and_provider"),
            models.UniqueConstraint(
                fields=["user", "name", "city"], condition=Q(provider__isnull=True), name="one_wish_per_user_and_name"
            ),
            models.CheckConstraint(
                condition=Q(provider__isnull=False, name="", city="") | (Q(provider__isnull=True) & ~Q(name="")),
                name="a_wish_names_one_provider",
            ),
            models.CheckConstraint(
                condition=Q(waits_since=None, due_at=None)
                | Q(waits_since__isnull=False, due_at__isnull=False, provider__isnull=False),
                name="who_waits_is_told",
            ),
        ]

    class Privacy:
        personal = ("name", "city", "plain_name", "plain_city")
        operational = ("id", "user", "provider", "created_at", "waits_since", "due_at", "needs_sign_in")

    def __str__(self) -> str:
        return f"wish {self.pk}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Keep what wishes are counted by in step."""
        self.plain_name, self.plain_city = spelling.plain(self.name)[:200], spelling.plain(self.city)[:100]
        super().save(*args, **kwargs)


class WantedProvider(Provider):
    """A provider as staff see it who ask what patients want."""

    class Meta:
        proxy = True
        verbose_name = _("provider that patients asked for")
        verbose_name_plural = _("providers that patients asked for")

    class Privacy(Provider.Privacy):
        pass
