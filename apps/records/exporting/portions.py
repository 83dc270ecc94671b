"""Which part of a record the page to read tells: some subjects and, of what happens at a time, since when.

A time leaves out nothing that holds on, such as medicines and allergies: who reads the page needs those that are older.
"""

import calendar
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from apps.records.presenters.entry import Entry
from apps.records.subjects import DOCUMENTS, LISTED, PROCEDURES, RESULTS, VISITS, VITALS, Subject
from apps.wire import datetimes

EVENTS: Final = (RESULTS, VITALS, VISITS, PROCEDURES, DOCUMENTS)
_DECEMBER: Final = 12


class Span(StrEnum):
    """How far back."""

    ALL = "all"
    THREE_MONTHS = "3-months"
    YEAR = "1-year"
    FIVE_YEARS = "5-years"


_MONTHS: Final = {Span.THREE_MONTHS: 3, Span.YEAR: 12, Span.FIVE_YEARS: 60}


@dataclass(frozen=True)
class Portion:
    """The subjects by key, and the first day of what is told of `EVENTS`; None: all of it."""

    subjects: frozenset[str]
    since: date | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self.since is None and self.subjects >= WHOLE.subjects

    def limits(self, subject: Subject) -> bool:
        """Whether some of the entries of this subject may be left out."""
        return self.since is not None and subject in EVENTS

    def holds(self, subject: Subject, entry: Entry) -> bool:
        """Whether this entry of one of its subjects is told. What is going on since before is, and so is what may have
        been before or after; not what has no date."""
        if self.since is None or not self.limits(subject) or entry.when.is_open:
            return True
        told = datetimes.parse(entry.when.ends or entry.when.starts)
        return told is not None and told.last_day >= self.since


WHOLE: Final = Portion(frozenset(subject.key for subject in LISTED))


def since(span: Span, *, today: date) -> date | None:
    """The same day so many months ago, or the last one of that month; None for all."""
    if span not in _MONTHS:
        return None
    year, month = divmod(today.year * _DECEMBER + today.month - 1 - _MONTHS[span], _DECEMBER)
    return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))
