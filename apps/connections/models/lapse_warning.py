"""A lapse warning: one mail, or a part of one, that tells a patient about a connection's end. Only
`apps.connections.lapse_warnings` writes it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.connections.models.connection import Connection


class LapseWarning(models.Model):
    """Planned as soon as an end is known, and sent once. There is one row for each end and each time that its patient
    chose, whoever plans it and however often."""

    ENDED = 0  # in `hours_before`: sent afterwards, because the end was not known in advance

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="lapse_warnings", db_index=False)
    ends_at = models.DateTimeField()
    hours_before = models.PositiveSmallIntegerField()
    # When it is to be sent. Postponed before each try, so that another worker tries again if this one dies.
    due_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("lapse warning")
        verbose_name_plural = _("lapse warnings")
        constraints = [
            models.UniqueConstraint(fields=["connection", "ends_at", "hours_before"], name="one_warning_of_an_end")
        ]
        indexes = [
            # The beat that sends what is due.
            models.Index(fields=["due_at"], condition=Q(sent_at__isnull=True), name="warnings_to_send"),
            # The beat that drops old ones.
            models.Index(fields=["ends_at"], name="warnings_by_end"),
        ]

    class Privacy:
        operational = ("id", "user", "connection", "ends_at", "hours_before", "due_at", "tries", "sent_at")

    def __str__(self) -> str:
        return f"lapse warning {self.pk}"
