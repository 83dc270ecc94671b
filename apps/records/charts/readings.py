"""A value on the axis of a chart."""

from datetime import datetime
from decimal import Decimal

import msgspec


class Reading(msgspec.Struct, frozen=True, gc=False):
    """A value on the axis. `lower` is the second number of a blood pressure. `low` and `high` are the bounds of the
    value's own usual range, in the unit of the axis. `provider` is an index into the providers of the series.
    `is_modified`: it has a modifier or a doubt."""

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
        """The bounds of its usual range. Neighboring values with equal ranges share a band."""
        return self.low, self.high
