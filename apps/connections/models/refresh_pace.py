"""How fast beat asks the token endpoint of one client registration. Only `refreshing.budgeting` writes it."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models import ClientRegistration


class RefreshPace(models.Model):
    """One row of a client registration that was asked before; all workers together keep to it. What it is to be kept
    to when nothing is wrong stands in the dialect, not here: this is where it stands, and how it was slowed down."""

    registration = models.OneToOneField(
        ClientRegistration, on_delete=models.CASCADE, primary_key=True, related_name="refresh_pace"
    )
    # Calls are spread along a line of time: the next free place on it, which is ahead of now where many were given out.
    next_at = models.DateTimeField()
    # After the server asked us to slow down: to how many calls a second, and when. It recovers with time alone.
    slowed_per_second = models.FloatField(null=True)
    slowed_at = models.DateTimeField(null=True)
    # How many calls in a row brought no answer at all.
    silences = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        verbose_name = _("refresh pace")
        verbose_name_plural = _("refresh paces")

    class Privacy:
        operational = ("registration", "next_at", "slowed_per_second", "slowed_at", "silences")

    def __str__(self) -> str:
        return f"refresh pace of client registration {self.registration_id}"
