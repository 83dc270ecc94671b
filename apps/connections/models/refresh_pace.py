"""How fast beat calls the token endpoint of one client registration. Only `refreshing.budgeting` writes it."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models import ClientRegistration


class RefreshPace(models.Model):
    """One row for each client registration that was called before, shared by all workers. The usual rate is in the
    dialect; this row has the current position, and how the server slowed us down."""

    registration = models.OneToOneField(
        ClientRegistration, on_delete=models.CASCADE, primary_key=True, related_name="refresh_pace"
    )
    # Calls are spaced along a time line: its next free slot, which is in the future if many were handed out.
    next_at = models.DateTimeField()
    # If the server asked us to slow down: to how many calls a second, and when. The rate recovers with time.
    slowed_per_second = models.FloatField(null=True)
    slowed_at = models.DateTimeField(null=True)
    # How many calls in a row got no answer at all.
    silences = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        verbose_name = _("refresh pace")
        verbose_name_plural = _("refresh paces")

    class Privacy:
        operational = ("registration", "next_at", "slowed_per_second", "slowed_at", "silences")

    def __str__(self) -> str:
        return f"refresh pace of client registration {self.registration_id}"
