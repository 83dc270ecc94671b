"""How many refreshes ended with which outcome, by client registration. Only `apps.connections.tallying` writes it."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models import ClientRegistration


class RefreshTally(models.Model):
    """Counters that only grow, for monitors. Each count is the sum of several rows, so that workers refreshing for the
    same registration do not wait for each other."""

    class Outcome(models.TextChoices):
        """How one attempt ended, by who must act."""

        SUCCEEDED = "succeeded", _("succeeded")
        WAITED = "waited", _("to be tried again later")
        REFUSED = "refused", _("refused: the patient must sign in again")
        OPERATOR = "operator", _("refused: staff must mend the registration")
        OURS = "ours", _("failed: our fault, or an answer we cannot read")

    # No index of its own: the unique constraint's begins with it.
    registration = models.ForeignKey(ClientRegistration, on_delete=models.CASCADE, related_name="+", db_index=False)
    outcome = models.CharField(max_length=12, choices=Outcome)
    shard = models.PositiveSmallIntegerField()
    times = models.BigIntegerField(default=0, db_default=0)
    # The time that the caller passed. For successes, only of those that prove something (`refreshing.doubting`).
    last_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("refresh tally")
        verbose_name_plural = _("refresh tallies")
        constraints = [models.UniqueConstraint(fields=["registration", "outcome", "shard"], name="one_tally_a_shard")]

    class Privacy:
        operational = ("id", "registration", "outcome", "shard", "times", "last_at")

    def __str__(self) -> str:
        return f"refresh tally {self.pk}"
