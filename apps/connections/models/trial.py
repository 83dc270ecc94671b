"""A trial: what staff saw when they tried a registration at one endpoint, from discovery to a complete link."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models import ClientRegistration, Endpoint, Provider


class Trial(models.Model):
    """Only `apps.connections.trials` writes it. It stores how each step ended, and no token, person or record. It is
    tied to no account, so that it outlives that of whoever tried."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    staff_id = models.UUIDField(editable=False)
    registration = models.ForeignKey(ClientRegistration, on_delete=models.CASCADE, related_name="trials")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="trials")
    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="+")
    began_at = models.DateTimeField(_("began"))
    # The result of each step: closed vocabularies, times, counts and names of resource types (`trials.results`).
    results = models.JSONField(default=dict, editable=False)
    # A digest of the registration's terms at the beginning (`trials.terms`); empty if unknown.
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
