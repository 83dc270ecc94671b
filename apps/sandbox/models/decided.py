"""A request about which an administrator decides: its status, and the possible transitions."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from django.db import models

from apps.sandbox.models.developer import Developer


class MoveRefused(Exception):
    """The transition is not possible from the current status."""


class Decided(models.Model):
    """A request by a developer, or by nobody if it was installed over the control address.

    A subclass has a `status` and a table of transitions, MOVES. `decided_at` is the time of the last transition,
    `decision` the reason, in words for the developer.
    """

    MOVES: ClassVar[Mapping[str, frozenset[str]]] = {}

    status: "models.CharField[str, str]"
    developer = models.ForeignKey(Developer, on_delete=models.PROTECT, null=True, blank=True, editable=False)
    requested_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True, editable=False)
    decision = models.CharField(max_length=400, blank=True, editable=False)

    class Meta:
        abstract = True

    def move(self, status: str, *, at: datetime, decision: str = "") -> None:
        """Change the status and save it. Raises MoveRefused for a transition that is not in the table."""
        here = type(self)._default_manager.filter(models.Q(status=self.status), pk=self.pk)  # noqa: SLF001 -- documented
        moved = {"status": status, "decided_at": at, "decision": decision}
        # By a conditional UPDATE: of two simultaneous decisions, one finds that the status has changed.
        if status not in self.MOVES[self.status] or not here.update(**moved):
            raise MoveRefused(f"from {self.status} to {status}")
        self.status, self.decided_at, self.decision = status, at, decision

    @property
    def is_over(self) -> bool:
        """Whether no transition is left: it will never work (again)."""
        return not self.MOVES[self.status]
