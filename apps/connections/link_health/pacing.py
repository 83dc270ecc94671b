"""How fast each client registration's token endpoint is called, and what slowed it down."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from apps.connections.models import RefreshPace

SILENT = 5  # calls in a row without a usable response; fewer may be one patient's problem
LATELY = timedelta(minutes=10)  # the time in which a rate recovers from zero (`refreshing.budgeting`)


@dataclass(frozen=True)
class Pace:
    """For one registration. `silences`: calls in a row without an answer. `slowed_per_second`: the rate to which its
    server slowed us down within the last ten minutes, None if it did not. `taken_seconds`: how far ahead all slots for
    calls are taken."""

    silences: int = 0
    slowed_per_second: float | None = None
    taken_seconds: float = 0

    @property
    def is_slow(self) -> bool:
        """Whether links wait for their provider rather than for us."""
        return self.silences >= SILENT or self.slowed_per_second is not None


def by_registration(*, at: datetime) -> Mapping[UUID, Pace]:
    """For each registration that beat ever called."""
    return {row.registration_id: _pace(row, at=at) for row in RefreshPace.objects.all()}


def _pace(row: RefreshPace, *, at: datetime) -> Pace:
    is_slowed = row.slowed_at is not None and row.slowed_at > at - LATELY
    ahead_seconds = max((row.next_at - at).total_seconds(), 0)
    return Pace(row.silences, row.slowed_per_second if is_slowed else None, ahead_seconds)
