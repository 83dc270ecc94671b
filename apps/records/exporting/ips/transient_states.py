"""States that may have passed, such as being pregnant: they stay listed, with a remark on their age."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _

from apps.records.exporting.ips import placing
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.entry import Entry
from apps.records.presenters.observations.results import ResultEntry
from apps.wire import datetimes

_LASTS: Final = timedelta(days=305)  # ten months: a pregnancy, and some weeks in case it was written down later


@dataclass(frozen=True, repr=False)
class TransientState:
    """When it was recorded, and its own end if it states one."""

    recorded: When
    due: When = UNDATED

    @classmethod
    def of(cls, entry: Entry) -> "TransientState":
        """For an entry in a section that `passes`."""
        is_due = isinstance(entry, ResultEntry) and placing.is_of_a_delivery(entry)
        return cls(entry.when, entry.value.when if isinstance(entry, ResultEntry) and is_due else UNDATED)

    def remark(self, at: datetime) -> str:
        """A remark that it is over or old, or of unknown age; empty if it is recent enough."""
        due, recorded = _last_day(self.due), _last_day(self.recorded)
        if due is not None and due < at.date():
            return _("This day has passed.")
        if recorded is None:
            return _("We do not know when this was recorded: it may no longer be true.")
        is_old = at.date() - recorded > _LASTS
        return _("Recorded more than 10 months ago: it may no longer be true.") if is_old else ""


def _last_day(when: When) -> date | None:
    """The last day that it can mean."""
    written = datetimes.parse(when.ends or when.starts)
    return None if written is None else written.last_day
