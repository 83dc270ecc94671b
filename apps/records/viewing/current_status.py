"""The status of an entry on the day of the page, if it depends on the day: whatever was sent, insurance has ended when
its period is over, and the date of an appointment that is still booked may have passed (patient experience 3.10); a
condition whose end was in the future when its shelf was built may be over (3.5)."""

from datetime import datetime
from typing import Final

from msgspec.structs import replace

from apps.records.presenters.appointments import AppointmentEntry
from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.insurance import CoverageEntry
from apps.records.shelving.reading import Shelved

_OF_THE_DAY: Final = AppointmentEntry, ConditionEntry, CoverageEntry
_BY_STATUS: Final = AppointmentEntry, CoverageEntry


def of(entry: Entry, at: datetime) -> Entry:
    """The entry with its status at this moment."""
    if isinstance(entry, ConditionEntry):
        return entry.on(at.date())
    return replace(entry, status=entry.standing(today=at.date())) if isinstance(entry, _BY_STATUS) else entry


def of_shelved(one: Shelved, at: datetime) -> Shelved:
    """The same for an entry from a shelf."""
    return one._replace(entry=of(one.entry, at)) if isinstance(one.entry, _OF_THE_DAY) else one
