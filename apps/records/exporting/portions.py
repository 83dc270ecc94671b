"""The portion of a record that a page to read includes: some subjects and, of events, those since a day.

The day never leaves out what lasts, such as medicines and allergies: readers need the older ones as well. Sensitive
entries can be left out of any subject that may have some (`presenters.sensitivity`).
"""

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final, TypeAlias

from apps.records.presenters.datatypes import dates
from apps.records.presenters.datatypes.moments import DAYS_A_YEAR, When
from apps.records.presenters.entry import Entry
from apps.records.presenters.sensitivity import sensitive
from apps.records.subjects import (
    ALLERGIES,
    DOCUMENTS,
    INSURANCE,
    LISTED,
    MEDICINES,
    RESULTS,
    VACCINES,
    VISITS,
    VITALS,
    Subject,
)
from apps.wire import datetimes

# Events happen once, and matter less with time. A surgery, in contrast, matters for life.
EVENTS: Final = frozenset(subject.key for subject in (RESULTS, VITALS, VISITS, DOCUMENTS))
_NEVER_SENSITIVE: Final = frozenset({MEDICINES.key, ALLERGIES.key, VACCINES.key, INSURANCE.key})
# Where a page has file `number` of the record with this id.
FileAddress: TypeAlias = Callable[[int, int], str]

_DECEMBER: Final = 12
_DAY: Final = 10  # characters in 2024-12-30


class Span(StrEnum):
    """How far back."""

    ALL = "all"
    THREE_MONTHS = "3-months"
    YEAR = "1-year"
    FIVE_YEARS = "5-years"


_MONTHS: Final = {Span.THREE_MONTHS: 3, Span.YEAR: 12, Span.FIVE_YEARS: 60}


@dataclass(frozen=True)
class Portion:
    """The subjects by key, and the first day to include for the `limited` ones, or None for all. `tells_sensitive`:
    also includes what people feel to be sensitive. `is_for_others`: somebody else reads it, and gets no names of
    relatives, no contact persons, and no number of entries withdrawn or gone. `file_address` says where its page has
    the files of documents and reports; None if it does not lead to them."""

    subjects: frozenset[str]
    since: date | None = None
    tells_sensitive: bool = True
    is_for_others: bool = False
    limited: frozenset[str] = EVENTS
    file_address: FileAddress | None = None

    @property
    def is_whole(self) -> bool:
        """Whether no entry is left out."""
        return self.tells_sensitive and self.since is None and self.subjects >= WHOLE.subjects

    @property
    def leads_to_files(self) -> bool:
        """Whether its page leads to files."""
        return self.file_address is not None

    def limits(self, subject: Subject) -> bool:
        """Whether entries of this subject may be left out because of their date."""
        return self.since is not None and subject.key in self.limited

    def sifts(self, subject: Subject) -> bool:
        """Whether entries of this subject may be left out because of what they say."""
        return not self.tells_sensitive and subject.key not in _NEVER_SENSITIVE

    def tells(self, subject: Subject, entry: Entry, *, is_of_grave: bool = False) -> bool:
        """Whether this entry of one of its subjects is included, whatever its date. What belongs to possible grave news
        counts as sensitive: in a report on HIV, a result may have the finding, under a name that does not reveal
        that."""
        return not self.sifts(subject) or not (is_of_grave or sensitive.is_sensitive(entry))

    def holds(self, subject: Subject, entry: Entry) -> bool:
        """Whether this entry of one of its subjects is included."""
        return self.is_in_time(subject, entry) and self.tells(subject, entry)

    def is_in_time(self, subject: Subject, entry: Entry) -> bool:
        """Whether its date allows that. What began earlier and is still going on is included, and so is what may have
        been before or after the day; what has no date is not."""
        if self.since is None or not self.limits(subject) or entry.when.is_open:
            return True
        latest = _latest_day(entry.when)
        return latest is not None and latest >= self.since


def _latest_day(when: When) -> date | None:
    """The last day that it may have been on, as a page shows it. For a date sent as a text or an age, the day by which
    lists sort it; for an age, the day a year later."""
    told = [day for sent in (when.starts, when.ends) if (day := dates.last_day(sent)) is not None]
    listed = datetimes.parse(when.sorts_at[:_DAY])
    if told or listed is None:
        return max(told, default=None)
    if when.age_from is None and when.age_to is None:
        return listed.first_day
    more = (when.age_to or 0) - when.age_from if when.age_from is not None else 0
    try:
        return listed.first_day + timedelta(days=(1 + max(more, 0)) * DAYS_A_YEAR)
    except OverflowError:
        return date.max


WHOLE: Final = Portion(frozenset(subject.key for subject in LISTED))


def since(span: Span, *, today: date) -> date | None:
    """The same day of the month that many months ago, or the last day of that month; None for all."""
    if span not in _MONTHS:
        return None
    year, month = divmod(today.year * _DECEMBER + today.month - 1 - _MONTHS[span], _DECEMBER)
    return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))
