"""What a page must say about an entry that the entry does not say itself: that a date is impossible, that two dates
contradict each other, that a medicine's end has passed, that a condition is current and has ended, that a visit never
ended (patient experience 3.0, 3.1, 3.5 and 3.7)."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Final

from django.utils.translation import gettext

from apps.records.presenters import visits
from apps.records.presenters.conditions import ConditionEntry, Status
from apps.records.presenters.datatypes import dates
from apps.records.presenters.entry import Entry
from apps.records.presenters.medicines.medications import Group, MedicationEntry
from apps.records.presenters.visits import VisitEntry
from apps.records.viewing.wording import dates_in_words
from apps.wire import datetimes

_LONG_AGO: Final = timedelta(days=30)


def of(entry: Entry, *, provider: str, born: date | None, at: datetime) -> tuple[str, ...]:
    """The sentences; none if nothing is odd."""
    return () if entry.is_withdrawn or entry.is_withheld else tuple(_said(entry, provider, born, at))


def _said(entry: Entry, provider: str, born: date | None, at: datetime) -> Iterator[str]:
    if dates_in_words.looks_wrong(entry, born=born, at=at):
        yield gettext("This date looks wrong. Ask %(provider)s.") % {"provider": provider}
    if _is_reversed(entry):
        yield gettext("The end date is before the start date. %(provider)s sent it this way. Ask them.") % {
            "provider": provider
        }
    if isinstance(entry, ConditionEntry) and entry.status is Status.NOT_CLEAR:
        yield _not_clear(entry)
    if isinstance(entry, MedicationEntry) and entry.group is Group.CURRENT and _is_over(entry.ends_at, at):
        said = gettext("The end date has passed (%(date)s). Ask whether you still take it.")
        yield said % {"date": dates.sent_date(entry.ends_at)}
    if isinstance(entry, VisitEntry) and entry.is_open and _is_over(entry.when.starts, at - _LONG_AGO):
        yield str(visits.NO_END_WORDS)


def _not_clear(condition: ConditionEntry) -> str:
    """Why it is unclear: a condition cannot be current and have ended."""
    ended = condition.ended
    if not ended or ended.text or not (ended.starts or ended.ends):  # a text or an age is shown among its facts
        return gettext("Marked current, and as ended.")
    return gettext("Marked current, with an end date of %(date)s.") % {"date": dates_in_words.in_words(ended)}


def _is_reversed(entry: Entry) -> bool:
    """Whether one of its periods ends before it begins."""
    if dates_in_words.is_reversed(entry.when.starts, entry.when.ends):
        return True
    if isinstance(entry, MedicationEntry):
        return dates_in_words.is_reversed(entry.taken.starts, entry.taken.ends)
    if isinstance(entry, ConditionEntry):
        return dates_in_words.is_reversed(entry.began.starts, entry.ended.ends or entry.ended.starts)
    return False


def _is_over(sent: str, at: datetime) -> bool:
    """Whether the last day that a date can mean has passed."""
    parsed = datetimes.parse(sent) if sent else None
    if parsed is None:
        return False
    day, today = parsed.first_day, at.date()
    exact = {datetimes.Precision.YEAR: 1, datetimes.Precision.MONTH: 2}.get(parsed.precision, 3)
    return day.timetuple()[:exact] < today.timetuple()[:exact]
