"""A dosage in words (patient experience 3.1): the provider's text, or our own sentence if only coded parts were sent.

Code that shows or exports a dosage must take all of `lines`: without "only when needed" or its maximum, it is another
dosage. Numbers that we write have no trailing zero and always a leading one; "units" and "micrograms" are written in
full. We say nothing that was not sent: "take" only for a medicine that is swallowed, and "tablets" for a number without
a unit only if the medicine is a tablet and the number is small.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from django.utils.functional import Promise
from django.utils.text import get_text_list
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from apps.records.presenters.datatypes import dates, lengths
from apps.records.presenters.datatypes.lengths import Span
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.dosing.dosages import CODED_UNITS, Dosage
from apps.records.presenters.dosing.timings import Moment, Timing, Weekday


def lines(dosage: Dosage) -> tuple[str, ...]:
    """All that a patient must know to take the medicine: first the dose and how to take it, in the provider's text if
    there is one, then for how long, whether only when needed, the maximums, further advice and, last and as sent, what
    we do not understand.

    A line that was sent twice in the same words appears once. A line that another merely contains is kept: the longer
    one may say the opposite, or be about something else.
    """
    said = (
        *([dosage.text] if dosage.text else [sentence(dosage), *_how(dosage)]),
        _modified(dosage),
        *_how_long(dosage),
        "" if _says_when_needed(dosage.text, dosage.as_needed_for) else when_needed(dosage),
        at_most(dosage),
        *_other_maximums(dosage),
        dosage.patient_instruction,
        *dosage.instructions,
        _also_sent(dosage),
    )
    told: dict[str, str] = {}
    for line in filter(None, said):
        told.setdefault(_compared(line), line)
    return tuple(told.values())


def _modified(dosage: Dosage) -> str:
    """The line about modifier extensions. One of them may mean "not", so no reader may miss them."""
    if not dosage.modified:
        return ""
    said = gettext(
        "More was sent that may change this, and that we cannot put into words: %(parts)s. Ask the provider."
    )
    return said % {"parts": "; ".join(part or "…" for part in dosage.modified)}


def _also_sent(dosage: Dosage) -> str:
    parts = tuple(filter(None, (*(() if dosage.text else dosage.others), *dosage.unread)))
    return gettext("Also sent: %(parts)s") % {"parts": "; ".join(parts)} if parts else ""


def sentence(dosage: Dosage) -> str:
    """How much and how often, as one sentence in the reader's language; empty if too little was sent."""
    amount, often = _amount(dosage), how_often(dosage.timing)
    if not amount:
        return _capitalized(often)
    known = {"amount": amount, "often": often}
    if _is_swallowed(dosage):
        return (gettext("Take %(amount)s %(often)s") if often else gettext("Take %(amount)s")) % known
    return (gettext("%(amount)s, %(often)s") if often else "%(amount)s") % known


def when_needed(dosage: Dosage) -> str:
    """That the medicine is taken only when needed, and for what; empty if that was not sent."""
    if not dosage.is_as_needed:
        return ""
    reason = dosage.as_needed_for
    return gettext("Only when needed: %(reason)s") % {"reason": reason} if reason else gettext("Only when needed")


def _says_when_needed(text: str, reason: str) -> bool:
    """Whether the provider's text says "only when needed" and nothing else. In a longer text, "as needed" may refer to
    something else, such as increasing the dose or crushing a tablet."""
    said, because = _compared(text), reason.casefold()
    return because in said and _NEEDED.fullmatch(said.removesuffix(because).rstrip(" :")) is not None


def at_most(dosage: Dosage) -> str:
    """The most that may be taken in a period; empty if that was not sent."""
    amount, _per, period = dosage.maximum.partition(" / ")
    if not amount:
        return ""
    every = _usual_period(period)
    if period and not every:
        return gettext("At most %(amount)s") % {"amount": dosage.maximum}
    if parts := _NUMBER_AND_UNIT.fullmatch(amount):
        number = lengths.plain(Decimal(parts[1]))
        amount = f"{number} {_unit(Quantity(unit=parts[2]), '', is_one=number == '1')}"
    if not every:
        return gettext("At most %(amount)s") % {"amount": amount}
    return gettext("At most %(amount)s %(every)s") % {"amount": amount, "every": every}


def _other_maximums(dosage: Dosage) -> tuple[str, ...]:
    at_once, ever = (
        most.shown if most.comparator or not most else _counted(most, "")
        for most in (dosage.most_at_once, dosage.most_ever)
    )
    return (
        gettext("At most %(amount)s each time") % {"amount": at_once} if dosage.most_at_once else "",
        gettext("At most %(amount)s in a lifetime") % {"amount": ever} if dosage.most_ever else "",
    )


def _how(dosage: Dosage) -> tuple[str, ...]:
    """The parts for which our sentence has no room: route, site, method, rate, duration of each dose, and dates."""
    takes, events = lengths.in_words(dosage.timing.takes), [dates.sent_moment(sent) for sent in dosage.timing.events]
    return (
        gettext("How it is given: %(route)s") % {"route": dosage.route} if dosage.route else "",
        gettext("Where on the body: %(site)s") % {"site": dosage.site} if dosage.site else "",
        gettext("Method: %(method)s") % {"method": dosage.method} if dosage.method else "",
        gettext("How fast: %(rate)s") % {"rate": dosage.rate} if dosage.rate else "",
        gettext("Each time over %(length)s") % {"length": takes} if takes else "",
        gettext("On %(dates)s") % {"dates": _listed(events)} if events else "",
    )


def _how_long(dosage: Dosage) -> tuple[str, ...]:
    """For how long, and how many times in all. A provider's text may leave this to the parts."""
    timing, bounds = dosage.timing, dosage.timing.bounds
    lasts = lengths.in_words(timing.lasts)
    count = _range(timing.count, timing.count_to)
    return (
        gettext("For %(length)s") % {"length": lasts} if lasts else "",
        _in_all(count) if count else "",
        _between(bounds) if bounds and (bounds.ends or not dosage.text) else "",
    )


def _in_all(count: str) -> str:
    times = ngettext("%(times)s time in total", "%(times)s times in total", 1 if count == "1" else 2)
    return _capitalized(times % {"times": count})


def _between(bounds: When) -> str:
    if bounds.text:
        return gettext("“%(sent)s”") % {"sent": bounds.text}
    if not bounds.starts:
        return dates.sent_until(bounds.ends)
    starts, ends = dates.sent_date(bounds.starts), dates.sent_date(bounds.ends)
    if starts == ends:
        return _capitalized(dates.sent_on(bounds.starts))
    if ends:
        return _capitalized(gettext("from %(period)s") % {"period": dates.sent_period(bounds.starts, bounds.ends)})
    return dates.sent_from(bounds.starts)


def how_often(timing: Timing) -> str:
    """How often, in our words or the provider's: once a day in the morning; every 6 hours. Empty if it was not sent."""
    moments = [] if timing.said else [str(MOMENT_WORDS[moment]) for moment in timing.moments]
    days = [str(WEEKDAY_WORDS[day]) for day in timing.weekdays]
    at = _at(timing.times_of_day) if timing.times_of_day else ""
    on = gettext("on %(days)s") % {"days": _listed(days)} if days else ""
    before = lengths.counted(timing.offset, Span.MINUTE, is_one=timing.offset == "1") if timing.offset else ""
    around = " ".join(filter(None, (before if moments else "", _listed(moments))))
    return " ".join(filter(None, (timing.said or _rate(timing), around, at, on)))


def _at(times: tuple[str, ...]) -> str:
    """Clock times in words. In Spanish, one o'clock has an article of its own."""
    is_one = times[0].startswith(("01", "13"))
    said = pgettext("one o'clock", "at %(times)s") if is_one else gettext("at %(times)s")
    return said % {"times": _listed([dates.sent_time(time) for time in times])}


def _rate(timing: Timing) -> str:
    if timing.span is None or not timing.period:
        return ""
    often = _range(timing.frequency or "1", timing.frequency_to)
    every = _range(timing.period, timing.period_to)
    if every == "1" and timing.span in _TIMES_A:
        words = _TIMES_A[timing.span] if often != "1" else _ONCE_A[timing.span]
        return str(words) % {"times": often}
    spelled = _every(every, timing)
    return spelled if often == "1" else gettext("%(times)s times %(every)s") % {"times": often, "every": spelled}


def _every(every: str, timing: Timing) -> str:
    last = Decimal(timing.period_to or timing.period)
    number = 1 if last == 1 else 2
    spelled = {
        Span.SECOND: ngettext("every %(number)s second", "every %(number)s seconds", number),
        Span.MINUTE: ngettext("every %(number)s minute", "every %(number)s minutes", number),
        Span.HOUR: ngettext("every %(number)s hour", "every %(number)s hours", number),
        Span.DAY: ngettext("every %(number)s day", "every %(number)s days", number),
        Span.WEEK: ngettext("every %(number)s week", "every %(number)s weeks", number),
        Span.MONTH: ngettext("every %(number)s month", "every %(number)s months", number),
        Span.YEAR: ngettext("every %(number)s year", "every %(number)s years", number),
    }
    return spelled[timing.span or Span.DAY] % {"number": every}


def _usual_period(sent: str) -> str:
    """A period in words ("every 24 hours" for 1 d); empty if we cannot read it."""
    parts = _NUMBER_AND_UNIT.fullmatch(sent)
    span = lengths.span_of(parts[2]) if parts else None
    if not parts or span is None or not Decimal(parts[1]):
        return ""
    number = lengths.plain(Decimal(parts[1]))
    if number == "1" and span in _LONGER:  # nobody says "every 1 day"
        number, span = _LONGER[span]
    return _every(number, Timing(period=number, span=span))


def _amount(dosage: Dosage) -> str:
    low, high, form = dosage.dose, dosage.dose_to, _form(dosage)
    if high and not low and high.comparator in {"", "<="}:
        return gettext("up to %(high)s") % {"high": _counted(high, form)}
    if low.comparator == ">=" and not high:
        return gettext("at least %(low)s") % {"low": _counted(low, form)}
    if low.comparator or high.comparator:
        return _range(low.shown, high.shown)  # "< 2 tablets" is not "2 tablets"
    if low and high and _differ_in_unit(low, high):
        return _range(_counted(low, form), _counted(high, form))
    numbers = [lengths.plain(side.number) for side in (low, high) if side]
    if not numbers:
        return ""
    unit = _unit(low if low.unit else high, form, is_one=numbers[-1] == "1")
    number = _range(numbers[0], numbers[1] if len(numbers) > 1 else "")
    return f"{number} {unit}" if unit else gettext("%(number)s at a time") % {"number": number}


def counted(quantity: Quantity) -> str:
    """An amount that is handed over: 30 tablets. If the unit is only a concept's number, it is written as
    `CODED_UNITS` names it, or else left out. Empty without a number."""
    if not quantity or quantity.comparator:
        return quantity.shown
    unit = CODED_UNITS.get(quantity.unit, "") if quantity.unit.isdigit() else quantity.unit
    return _counted(replace(quantity, unit=unit), "")


def _counted(quantity: Quantity, form: str) -> str:
    number = lengths.plain(quantity.number)
    return f"{number} {_unit(quantity, form, is_one=number == '1')}".strip()


def _form(dosage: Dosage) -> str:
    """The unit to assume if none was sent: the form of the medicine, if it comes in pieces. For a large number it is
    more likely that a unit was forgotten: nobody takes 500 tablets."""
    number = max((side.number for side in (dosage.dose, dosage.dose_to) if side.number is not None), default=None)
    if number is None or number > _MOST_PIECES:
        return ""
    named = (_COUNTED.get(word, word) for word in re.findall(r"[a-z]+", dosage.form.casefold()))
    return next((piece for piece in named if piece in _PIECES), "")


def _differ_in_unit(low: Quantity, high: Quantity) -> bool:
    """Whether the ends have different units (500 mg to 1 g); a unit sent with only one end counts for both."""
    one, other = (_unit(side, "", is_one=False).casefold() for side in (low, high))
    return bool(one and other and one != other)


def _unit(quantity: Quantity, form: str, *, is_one: bool) -> str:
    sent = quantity.unit or form
    key = sent.casefold().strip("[]{}").removesuffix("(s)")
    spelled = str(_SPELLED.get(key, ""))
    if spelled:
        return spelled
    say = _COUNTED_WORDS.get(_COUNTED.get(key, key))
    if say is not None:
        return say(1 if is_one else 2)
    return sent if quantity.unit else sent.casefold()


_COUNTED_WORDS: Final[Mapping[str, Callable[[int], str]]] = {
    "tablet": lambda number: ngettext("tablet", "tablets", number),
    "capsule": lambda number: ngettext("capsule", "capsules", number),
    "drop": lambda number: ngettext("drop", "drops", number),
    "puff": lambda number: ngettext("puff", "puffs", number),
    "patch": lambda number: ngettext("patch", "patches", number),
}


def _is_swallowed(dosage: Dosage) -> bool:
    route, unit = dosage.route.casefold(), (dosage.dose.unit or dosage.dose_to.unit).casefold()
    if route:
        return _BY_MOUTH.search(route) is not None
    if dosage.method or dosage.site:  # it may be a tablet to insert
        return False
    return _COUNTED.get(unit, unit) in {"tablet", "capsule"}


def _range(low: str, high: str) -> str:
    if high and not low:
        return gettext("up to %(high)s") % {"high": high}
    return gettext("%(low)s to %(high)s") % {"low": low, "high": high} if high and high != low else low


def _listed(words: list[str]) -> str:
    return str(get_text_list(words, gettext("and"))) if words else ""


def _compared(line: str) -> str:
    return " ".join(line.casefold().split()).rstrip(".")


def _capitalized(words: str) -> str:
    return words[:1].upper() + words[1:]


_NEEDED = re.compile(
    r"(?:(?:only |take |use )?(?:as|when|if) (?:needed|necessary|required)|prn|"
    r"(?:solo )?(?:según|cuando|si) (?:es|sea) necesario|(?:según|cuando|si) lo necesite)(?: for| para)?"
)
_NUMBER_AND_UNIT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) (.+)")
_BY_MOUTH = re.compile(r"\b(?:oral|mouth)\b")
_MOST_PIECES = 10
_PIECES = frozenset({"tablet", "capsule", "drop", "puff", "patch"})
_LONGER = {Span.DAY: ("24", Span.HOUR), Span.WEEK: ("7", Span.DAY)}
_COUNTED = {
    "tab": "tablet",
    "tbl": "tablet",
    "tabs": "tablet",
    "tablets": "tablet",
    "cap": "capsule",
    "caps": "capsule",
}
_COUNTED |= {"capsules": "capsule", "drops": "drop", "gtt": "drop", "puffs": "puff", "patches": "patch"}
_SPELLED: Mapping[str, str | Promise] = {
    "u": _("units"),
    "unt": _("units"),
    "iu": _("international units"),
    "ug": _("micrograms"),
    "mcg": _("micrograms"),
    "µg": _("micrograms"),
}
_ONCE_A: Mapping[Span, str | Promise] = {
    Span.HOUR: _("once an hour"),
    Span.DAY: _("once a day"),
    Span.WEEK: _("once a week"),
    Span.MONTH: _("once a month"),
    Span.YEAR: _("once a year"),
}
_TIMES_A: Mapping[Span, str | Promise] = {
    Span.HOUR: _("%(times)s times an hour"),
    Span.DAY: _("%(times)s times a day"),
    Span.WEEK: _("%(times)s times a week"),
    Span.MONTH: _("%(times)s times a month"),
    Span.YEAR: _("%(times)s times a year"),
}
MOMENT_WORDS: Mapping[Moment, str | Promise] = {
    Moment.MORNING: _("in the morning"),
    Moment.NOON: _("at noon"),
    Moment.EARLY_MORNING: _("early in the morning"),
    Moment.LATE_MORNING: _("late in the morning"),
    Moment.AFTERNOON: _("in the afternoon"),
    Moment.EARLY_AFTERNOON: _("early in the afternoon"),
    Moment.LATE_AFTERNOON: _("late in the afternoon"),
    Moment.EVENING: _("in the evening"),
    Moment.EARLY_EVENING: _("early in the evening"),
    Moment.LATE_EVENING: _("late in the evening"),
    Moment.NIGHT: _("at night"),
    Moment.BEDTIME: _("at bedtime"),
    Moment.WAKING: _("after waking up"),
    Moment.AFTER_SLEEP: _("after sleeping"),
    Moment.MEALS: _("with meals"),
    Moment.BREAKFAST: _("with breakfast"),
    Moment.LUNCH: _("with lunch"),
    Moment.DINNER: _("with dinner"),
    Moment.BEFORE_MEALS: _("before meals"),
    Moment.BEFORE_BREAKFAST: _("before breakfast"),
    Moment.BEFORE_LUNCH: _("before lunch"),
    Moment.BEFORE_DINNER: _("before dinner"),
    Moment.AFTER_MEALS: _("after meals"),
    Moment.AFTER_BREAKFAST: _("after breakfast"),
    Moment.AFTER_LUNCH: _("after lunch"),
    Moment.AFTER_DINNER: _("after dinner"),
}
WEEKDAY_WORDS: Mapping[Weekday, str | Promise] = {
    Weekday.MONDAY: _("Monday"),
    Weekday.TUESDAY: _("Tuesday"),
    Weekday.WEDNESDAY: _("Wednesday"),
    Weekday.THURSDAY: _("Thursday"),
    Weekday.FRIDAY: _("Friday"),
    Weekday.SATURDAY: _("Saturday"),
    Weekday.SUNDAY: _("Sunday"),
}
