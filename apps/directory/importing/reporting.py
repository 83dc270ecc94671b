"""What an import did, in numbers, with the first thousand refusals."""

from collections import Counter
from dataclasses import dataclass, field

MOST_LINES = 1000


@dataclass(frozen=True)
class Refusal:
    """A row that was left out: its place in the list, and the reason. Both can be shown as they are."""

    where: str
    reason: str


@dataclass
class Report:
    """Numbers of rows. `providers` and `endpoints` count those listed, including new and changed ones."""

    directory: str = ""  # which one the list was stored as
    providers: int = 0
    providers_new: int = 0
    providers_changed: int = 0
    endpoints: int = 0
    endpoints_new: int = 0
    endpoints_changed: int = 0
    published_lists: int = 0
    inactive: int = 0  # the list itself says that they are out of use
    vanished: int = 0
    spared: int = 0  # would have vanished, were more than half of what the directory held still listed
    waiting: list[str] = field(default_factory=list)  # FHIR base URLs that staff must switch on first, at most 1000
    parted: list[str] = field(default_factory=list)  # those that left a server where we are registered, at most 1000
    refusals: list[Refusal] = field(default_factory=list)  # at most 1000
    reasons: Counter[str] = field(default_factory=Counter)  # all of them

    @property
    def refused(self) -> int:
        """How many rows were refused."""
        return self.reasons.total()

    @property
    def written(self) -> int:
        """How many rows are new, changed or vanished."""
        return self.providers_new + self.providers_changed + self.endpoints_new + self.endpoints_changed + self.vanished

    def refuse(self, where: str, reason: str) -> None:
        """Count another refused row."""
        self.reasons[reason] += 1
        if len(self.refusals) < MOST_LINES:
            self.refusals.append(Refusal(where, reason))
