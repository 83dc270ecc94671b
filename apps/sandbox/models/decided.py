"""What somebody asks for and an administrator decides about: where it stands, and which moves there are from there."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from django.db import models

from apps.sandbox.models.developer import Developer


class MoveRefused(Exception):
    """Something cannot go from where it stands to where it was sent."""


class Decided(models.Model):
    """A request of a developer, or of nobody where it was installed over the control address.

    Whoever inherits has a `status` and the table of its MOVES. `decided_at` is the last move, `decision` why it was
    made, in words for the developer.
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
        """Change where it stands and save that. Raises MoveRefused for a move the table does not have."""
        here = type(self)._default_manager.filter(models.Q(status=self.status), pk=self.pk)  # noqa: SLF001 -- documented
        moved = {"status": status, "decided_at": at, "decision": decision}
        # By conditional update: of two decisions at the same moment one finds it elsewhere.
        if status not in self.MOVES[self.status] or not here.update(**moved):
            raise MoveRefused(f"from {self.status} to {status}")
        self.status, self.decided_at, self.decision = status, at, decision

    @property
    def is_over(self) -> bool:
        """Whether there is no move left: it will never work (again)."""
        return not self.MOVES[self.status]
