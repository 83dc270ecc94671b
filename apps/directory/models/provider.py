"""A provider: the organization a patient recognizes."""

import uuid
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from apps.directory.models.search_word import SearchWord
from apps.directory.words import spelling


class Provider(models.Model):
    """A practice, hospital or insurer, under the name patients know. It may have several endpoints, and share them."""

    class Kind(models.TextChoices):
        """What it is, in a patient's words."""

        PRACTICE = "practice", _("practice")
        HOSPITAL = "hospital", _("hospital")
        INSURER = "insurer", _("insurer")
        LABORATORY = "laboratory", _("laboratory")
        OTHER = "other", _("provider")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    directory = models.CharField(_("directory it came from"), max_length=120)
    directory_id = models.CharField(_("its id there"), max_length=200)
    name = models.CharField(_("name"), max_length=200)
    aliases = ArrayField(models.CharField(max_length=200), verbose_name=_("other names"), default=list, blank=True)
    # A site names the system it belongs to; without endpoints of its own, it has those of the system.
    part_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, related_name="sites", verbose_name=_("part of"), null=True, blank=True
    )
    kind = models.CharField(_("kind"), max_length=12, choices=Kind, default=Kind.OTHER)
    city = models.CharField(_("city"), max_length=100, blank=True)
    state = models.CharField(_("state"), max_length=60, blank=True)
    postal_code = models.CharField(_("postal code"), max_length=20, blank=True)
    website = models.URLField(_("website"), max_length=500, blank=True)
    is_sandbox = models.BooleanField(_("practice provider, invented people"), default=False)
    # The name as searching compares it, and all words by which it is found, each once. Derived from other columns.
    plain_name = models.CharField(max_length=200, editable=False, default="", db_collation="C")
    words = ArrayField(models.CharField(max_length=60), editable=False, default=list)
    imported_at = models.DateTimeField(_("last changed by an import"))
    vanished_at = models.DateTimeField(_("vanished from its directory"), null=True, blank=True)

    class Meta:
        verbose_name = _("provider")
        verbose_name_plural = _("providers")
        constraints = [models.UniqueConstraint(fields=["directory", "directory_id"], name="one_row_per_directory_id")]
        indexes = [
            # an import sorts thousands of words in at once
            GinIndex(fields=["words"], name="provider_words"),
            # in collation C: prefix searches, in order
            models.Index(fields=["plain_name"], name="provider_plain_name"),
            models.Index(fields=["name"], condition=models.Q(is_sandbox=True), name="practice_providers"),
        ]

    class Privacy:
        operational = (
            "id", "directory", "directory_id", "name", "aliases", "part_of", "kind", "city", "state", "postal_code",
            "website", "is_sandbox", "plain_name", "words", "imported_at", "vanished_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Update the search words and learn them, unless nothing else is saved."""
        if (columns := kwargs.get("update_fields")) is not None:
            if not columns:
                return
            kwargs["update_fields"] = {*columns, "plain_name", "words"}
        portals = [] if self._state.adding else list(self.portals.exclude(name="", url=""))
        self.plain_name = spelling.plain(self.name)[:200]
        self.words = spelling.provider_words(
            name=self.name,
            aliases=self.aliases,
            city=self.city,
            state=self.state,
            postal_code=self.postal_code,
            website=self.website,
            portal_names=[portal.name for portal in portals],
            portal_urls=[portal.url for portal in portals],
            system_name=self.part_of.name if self.part_of else "",
        )
        with transaction.atomic():  # words first: whoever waits for an import must hold no row lock meanwhile
            SearchWord.learn(self.words)
            super().save(*args, **kwargs)
