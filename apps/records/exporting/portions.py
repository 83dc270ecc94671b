"""Which portion of a record a page to read tells: some subjects and, of events, those since a day.

A day leaves out nothing that lasts, such as medicines and allergies: who reads the page needs the older ones as well.
What is sensitive can be left out of any subject that may have it (`presenters.sensitivity`).
"""

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

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

# Happened once, and matter less with time. A surgery matters for a whole life.
EVENTS: Final = frozenset(subject.key for subject in (RESULTS, VITALS, VISITS, DOCUMENTS))
_NEVER_SENSITIVE: Final = frozenset({MEDICINES.key, ALLERGIES.key, VACCINES.key, INSURANCE.key})
_DECEMBER: Final = 12
_DAY: Final = 10  # letters of 2024-12-30


class Span(StrEnum):
    """How far back."""

    ALL = "all"
    THREE_MONTHS = "3-months"
    YEAR = "1-year"
    FIVE_YEARS = "5-years"


_MONTHS: Final = {Span.THREE_MONTHS: 3, Span.YEAR: 12, Span.FIVE_YEARS: 60}


@dataclass(frozen=True)
class Portion:
    """The subjects by key, and the first day of what is told of the `limited` ones; None: all of it. `tells_sensitive`:
    also what is felt to be sensitive. `is_for_others`: somebody else reads it, who is told no names of relatives, no
    contact persons, and not how much is withdrawn or gone."""

    subjects: frozenset[str]
    since: date | None = None
    tells_sensitive: bool = True
    is_for_others: bool = False
    limited: frozenset[str] = EVENTS

    @property
    def is_whole(self) -> bool:
        """Whether no entry is left out."""
        return self.tells_sensitive and self.since is None and self.subjects >= WHOLE.subjects

    def limits(self, subject: Subject) -> bool:
        """Whether some of the entries of this subject may be left out for their time."""
        return self.since is not None and subject.key in self.limited

    def sifts(self, subject: Subject) -> bool:
        """Whether some of them may be left out for what they tell."""
        return not self.tells_sensitive and subject.key not in _NEVER_SENSITIVE

    def tells(self, subject: Subject, entry: Entry, *, is_of_grave: bool = False) -> bool:
        """Whether this entry of one of its subjects is told, whenever it was. What belongs to what may carry grave news
        is taken for sensitive: of a report of HIV it may have the finding, and no name that tells so."""
        return not self.sifts(subject) or not (is_of_grave or sensitive.is_sensitive(entry))

    def holds(self, subject: Subject, entry: Entry) -> bool:
        """Whether this entry of one of its subjects is told."""
        return self.is_in_time(subject, entry) and self.tells(subject, entry)

    def is_in_time(self, subject: Subject, entry: Entry) -> bool:
        """Whether it is, as far as its time decides. What is going on since before is, and so is what may have been
        before or after; not what has no date."""
        if self.since is None or not self.limits(subject) or entry.when.is_open:
            return True
        latest = _latest_day(entry.when)
        return latest is not None and latest >= self.since


def _latest_day(when: When) -> date | None:
    """The last day that it may have been on, as a page tells it; of what was sent as a text or an age, that which lists
    put it under, and of an age the year after that."""
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
    """The same day so many months ago, or the last one of that month; None for all."""
    if span not in _MONTHS:
        return None
    year, month = divmod(today.year * _DECEMBER + today.month - 1 - _MONTHS[span], _DECEMBER)
    return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))
