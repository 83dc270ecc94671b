"""How far the sandbox's clock was moved. One row, so that a restart does not turn time back."""

from datetime import timedelta

from django.db import models


class ClockOffset(models.Model):
    """The one row (id 1): sandbox time is real time plus `offset`."""

    offset = models.DurationField(default=timedelta)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="sandbox_one_clock")]

    def __str__(self) -> str:
        return f"real time + {self.offset}"
