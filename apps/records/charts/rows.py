"""A value as the table beside a chart tells it."""

from decimal import Decimal

import msgspec

from apps.records import senders
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import Doubt
from apps.records.presenters.observations.results import Comparable, Measured, ResultEntry
from apps.records.senders import Sender
from apps.wire import datetimes


class Row(msgspec.Struct, frozen=True, gc=False):
    """A value as the table tells it. `shown` is as sent; `converted` what stands on the axis for it, where that is
    another number. `number` is the value as a number, where it is one. `senders` are several where they sent the very
    same. `record` is its own, 0 where it was read from several, and `before` what that said before its provider
    corrected it, where somebody looked (`viewing.corrections`). `is_modified`: it may mean something else than it seems
    to, by what speaks against it (`doubts`) or how `said` begins."""

    when: When
    shown: str
    measured: Measured
    senders: tuple[Sender, ...] = ()
    converted: str = ""
    status: str = ""
    said: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    is_modified: bool = False
    at_home: bool = False
    entry: Comparable = msgspec.field(default_factory=ResultEntry)
    number: Decimal | None = None
    record: int = 0
    before: str = ""

    @property
    def providers(self) -> tuple[str, ...]:
        """Who sent it, by name."""
        return senders.together(self.senders)

    @property
    def year(self) -> str:
        """The year it is told under, empty where there is no date."""
        parsed = datetimes.parse(self.when.starts or self.when.ends)
        return "" if parsed is None else str(parsed.first_day.year)
