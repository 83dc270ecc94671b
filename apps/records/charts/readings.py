"""A value as it stands on the axis of a chart."""

from datetime import datetime
from decimal import Decimal

import msgspec


class Reading(msgspec.Struct, frozen=True, gc=False):
    """A value on the axis. `lower` is the second number of a blood pressure. `low` and `high` are the bounds of its own
    usual range in the unit of the axis; `provider` is which of the series' it is from, whichever way it was read.
    `is_modified`: it may mean something else than it seems to."""

    at: datetime
    value: Decimal
    lower: Decimal | None = None
    comparator: str = ""
    place: str = ""
    low: Decimal | None = None
    high: Decimal | None = None
    provider: int = 0
    is_early: bool = False
    is_modified: bool = False

    @property
    def range(self) -> tuple[Decimal | None, Decimal | None]:
        """Its range; equal ranges make one band."""
        return self.low, self.high
