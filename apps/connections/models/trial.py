"""A trial: what staff saw when they tried a registration at one endpoint, from discovery to a whole link."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models import ClientRegistration, Endpoint, Provider


class Trial(models.Model):
    """Written by `apps.connections.trying` alone. Of a trial nothing is kept but which step ended how: no token, no
    person, no record. Tied to no account, so that it outlives the one of whoever tried."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    staff_id = models.UUIDField(editable=False)
    registration = models.ForeignKey(ClientRegistration, on_delete=models.CASCADE, related_name="trials")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="trials")
    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="+")
    began_at = models.DateTimeField(_("began"))
    # By step, what came of it: closed vocabularies, times, counts and names of resource types (`trying.results`).
    results = models.JSONField(default=dict, editable=False)
    # What it was begun with, as a digest (`trying.terms`); empty where nobody knows.
    terms = models.CharField(max_length=64, default="", db_default="", editable=False)
    left_at = models.DateTimeField(_("left to sign in"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("trial")
        verbose_name_plural = _("trials")
        indexes = [models.Index(fields=["registration", "-began_at"], name="trials_of_a_registration")]

    class Privacy:
        operational = (
            "id", "staff_id", "registration", "endpoint", "provider", "began_at", "results", "terms", "left_at",
            "ended_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"trial {self.pk}"
