"""A value in the table beside a chart."""

from decimal import Decimal

import msgspec

from apps.records import senders
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import Doubt
from apps.records.presenters.observations.results import Comparable, Measured, ResultEntry
from apps.records.senders import Sender
from apps.wire import datetimes


class Row(msgspec.Struct, frozen=True, gc=False):
    """A row of the table. `shown` is the value as sent; `converted` is its value on the axis, if that is another
    number. `number` is the value, if it is a number. `senders` are several if they sent the same value. `record` is the
    record from which it was read, 0 if there are several; `before` is what the record said before the provider
    corrected it, if that was looked up (`viewing.corrections`). `is_modified`: it may mean something else, because of
    its `doubts` or of a modifier at the beginning of `said`."""

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
        """The names of those who sent it."""
        return senders.together(self.senders)

    @property
    def year(self) -> str:
        """The year under which it is listed; empty without a date."""
        parsed = datetimes.parse(self.when.starts or self.when.ends)
        return "" if parsed is None else str(parsed.first_day.year)
