"""When something was, in words, and what the date stands for (patient experience 3.0, Dates)."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from apps.records.presenters import date_meanings
from apps.records.presenters.datatypes import dates
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import Entry
from apps.wire import datetimes
from apps.wire.datetimes import FhirDateTime, Precision

_LABELS: Final[dict[str, str | Promise]] = {
    "collected": _("Collected"),
    "measured": _("Measured"),
    "reported": _("Reported"),
    "given": _("Given"),
    "prescribed": _("Prescribed"),
    "started": _("Started"),
    "ended": _("Ended"),
    "written-down": _("Written down"),
    "seen": _("Seen"),
    "visit": _("Visit"),
    "planned": _("Planned for"),
    "due": _("Due"),
    "born": _("Born"),
    "recorded": _("Recorded"),
    "noticed": _("First noticed"),
    "done": _("Done"),
    "filled": _("Filled"),
    "valid": _("Valid"),
    "taken": _("Taken"),
    "prepared": _("Prepared"),
    "ordered": _("Ordered"),
    "expires": _("Expires"),
    "made": _("Made"),
    "to-be-taken": _("To be taken"),
    "in-place": _("In place"),
    "covers": _("Covers"),
    "care": _("Care given"),
    "used": _("Used"),
    "paid": _("Paid"),
}
# What may lie in the future: plans, and what is paid, valid or recommended until a day.
_AHEAD: Final = frozenset({"planned", "due", "valid", "expires", "to-be-taken"})
_PLANNED: Final = frozenset({"planned", "due"})  # nothing has been ongoing since then
_AHEAD_TYPES: Final = frozenset(
    {
        "Appointment", "AppointmentResponse", "CarePlan", "Goal", "Coverage", "ImmunizationRecommendation", "Slot",
        "Schedule", "Task", "Account", "DeviceRequest", "DeviceUseRequest", "NutritionOrder", "Contract",
    }
)  # fmt: skip
_AHEAD_GROUPS: Final = frozenset({"planned", "suggested", "recommended", "ordered", "awaited"})
_OF_NO_DAY: Final = frozenset({"DeviceEntry"})
_OLDEST_YEARS: Final = 130  # for a person whose birth date we do not know


def label(entry: Entry) -> str:
    """What the entry's date stands for. "Date" alone is not a label."""
    return of_meaning(date_meanings.of(entry))


def of_meaning(means: str) -> str:
    """The label for a date with this meaning."""
    return str(_LABELS.get(means, _LABELS["recorded"]))


def in_words(when: When, say: Callable[[str], str] = dates.sent_date) -> str:
    """The date in words, never more precise than it was sent; or that none was given. `say` puts a FHIR date into
    words; callers with many dates can pass that of a calendar (`dates.Calendar`)."""
    if when.text:
        return gettext("“%(sent)s”") % {"sent": when.text}
    if when.starts or when.ends:
        return _period(when, say)
    if when.age_from is not None or when.age_to is not None:
        return _age(when)
    return gettext("Date not known") if when.unknown else gettext("Date not given")


def as_meant(entry: Entry) -> When:
    """The entry's date, marked as planned if its status makes it a plan."""
    when = entry.when
    return replace(when, means="planned") if when.is_open and date_meanings.of(entry) == "planned" else when


def is_of_no_day(kind: str, when: When) -> bool:
    """Whether an entry of that kind needs no date: for a device, FHIR has only the date on which it was made."""
    return kind in _OF_NO_DAY and not when and not when.unknown


def says_itself(when: When) -> bool:
    """Whether the words need no label: "Since March 2019", "At age 42", "Date not given"."""
    return not when.starts or bool(when.text) or when.is_open


def has_one_side(when: When) -> bool:
    """Whether it reads "Since March 2019" or "Until March 2019"."""
    return not when.text and bool(when.is_open if when.starts else when.ends)


def follows_a_word(when: When) -> bool:
    """Whether its words can follow another word: "valid since March 2019", "began at age 42"."""
    return has_one_side(when) or (bool(when) and not (when.text or when.starts or when.ends))


def in_full(when: When, say: Callable[[str], str] = dates.sent_moment) -> str:
    """The same with clock times, if they were sent."""
    if when.text or not (when.starts or when.ends):
        return in_words(when)
    return _hours_of_a_day(when) or _period(when, say)


def looks_wrong(entry: Entry, *, born: date | None, at: datetime) -> bool:
    """Whether the entry's date is impossible: before the person was born, or in the future without being a plan."""
    said = entry.when.starts or entry.when.ends
    sent = datetimes.parse(said) if said else None
    if sent is None:
        return False
    is_ahead = sent.first_day > at.date() + timedelta(days=1)
    is_before = _is_before_birth(sent, entry, born, at)
    if not (is_ahead or is_before) or date_meanings.of(entry) in _AHEAD:
        return False
    return is_before or not (entry.resource_type in _AHEAD_TYPES or entry.group in _AHEAD_GROUPS)


def is_reversed(starts: str, ends: str) -> bool:
    """Whether the end must be before the start, however imprecise the two dates are."""
    if not (starts and ends):
        return False
    begun, over = datetimes.parse(starts), datetimes.parse(ends)
    if begun is None or over is None:
        return False
    if begun.has_offset and over.has_offset:
        return over.starts_at < begun.starts_at
    return over.last_day < begun.first_day


def _is_before_birth(sent: FhirDateTime, entry: Entry, born: date | None, at: datetime) -> bool:
    if born is None or entry.when.means == "born" or entry.resource_type == "FamilyMemberHistory":
        return sent.first_day.year < at.year - _OLDEST_YEARS
    if sent.first_day >= born:
        return False
    exact = {Precision.YEAR: 1, Precision.MONTH: 2}.get(sent.precision, 3)
    return sent.first_day.timetuple()[:exact] < born.timetuple()[:exact]


def _hours_of_a_day(when: When) -> str:
    """From one clock time to another on the same day, which is then named once; empty for any other period."""
    if not (when.starts and when.ends):  # most dates are a single moment
        return ""
    day, starts, ends = dates.sent_date(when.starts), dates.sent_clock(when.starts), dates.sent_clock(when.ends)
    if not starts or not ends or starts == ends or day != dates.sent_date(when.ends):
        return ""
    return gettext("%(date)s, %(start)s to %(end)s") % {"date": day, "start": starts, "end": ends}


def how_long_ago(when: When, *, at: datetime) -> str:
    """At least how many full years ago it was; empty if less than one, or not known."""
    told = datetimes.parse(when.ends or when.starts)
    if told is None or when.is_open:
        return ""
    day, today = told.last_day, at.date()
    years = today.year - day.year - ((today.month, today.day) < (day.month, day.day))
    return ngettext("%(n)s year ago", "%(n)s years ago", years) % {"n": years} if years > 0 else ""


def _period(when: When, say: Callable[[str], str]) -> str:
    if not when.starts:
        return dates.sent_until(when.ends, say)
    if when.is_open:
        return (dates.sent_from if when.means in _PLANNED else dates.sent_since)(when.starts, say)
    if not when.ends or say(when.ends) == say(when.starts):
        return say(when.starts)
    return dates.sent_period(when.starts, when.ends, say)


def _age(when: When) -> str:
    ages = [_years(age) for age in (when.age_from, when.age_to) if age is not None]
    if len(ages) == 1:
        at_age = pgettext("one year", "At age %(age)s") if ages[0] == "1" else gettext("At age %(age)s")
        return at_age % {"age": ages[0]}
    return gettext("Between ages %(from)s and %(to)s") % {"from": ages[0], "to": ages[1]}


def _years(age: float) -> str:
    return f"{age:.1f}".removesuffix(".0")
