"""The silence of an endpoint whose records nobody can reach. Only `apps.connections.reachability` writes it."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models import Endpoint


class EndpointSilence(models.Model):
    """A row for each endpoint where the latest sync turn got no answer, whoever's it was; an answer to anybody deletes
    it."""

    endpoint = models.OneToOneField(Endpoint, on_delete=models.CASCADE, primary_key=True, related_name="silence")
    began_at = models.DateTimeField()
    last_at = models.DateTimeField()
    turns = models.PositiveIntegerField(default=1, db_default=1)  # in a row

    class Meta:
        verbose_name = _("silence of an endpoint")
        verbose_name_plural = _("silences of endpoints")

    class Privacy:
        operational = ("endpoint", "began_at", "last_at", "turns")

    def __str__(self) -> str:
        return f"silence of endpoint {self.endpoint_id}"
