"""How often something is taken: a Timing of either version as closed words and numbers.

DSTU2 has `periodUnits`, one `when` and `boundsQuantity` where R4 has `periodUnit`, several and `boundsDuration`. A code
of the timing (BID) is the whole statement of how often, and goes before the structured repeat (R4 Timing.code); some
servers send "once a day" in structure beside every code they have. What we do not understand is kept as it was sent.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from apps.records.presenters import elements, lengths, moments, outline
from apps.records.presenters.elements import Element
from apps.records.presenters.heads import status_codes, title_of
from apps.records.presenters.lengths import Length, Span
from apps.records.presenters.moments import When

_MOST = 24  # times of a day; more is an accident


class Moment(StrEnum):
    """An event of the day, with the codes of HL7 EventTiming."""

    MORNING = "morn"
    NOON = "noon"
    EARLY_MORNING = "morn.early"
    LATE_MORNING = "morn.late"
    AFTERNOON = "aft"
    EARLY_AFTERNOON = "aft.early"
    LATE_AFTERNOON = "aft.late"
    EVENING = "eve"
    EARLY_EVENING = "eve.early"
    LATE_EVENING = "eve.late"
    NIGHT = "night"
    BEDTIME = "hs"
    WAKING = "wake"
    AFTER_SLEEP = "phs"
    MEALS = "c"
    BREAKFAST = "cm"
    LUNCH = "cd"
    DINNER = "cv"
    BEFORE_MEALS = "ac"
    BEFORE_BREAKFAST = "acm"
    BEFORE_LUNCH = "acd"
    BEFORE_DINNER = "acv"
    AFTER_MEALS = "pc"
    AFTER_BREAKFAST = "pcm"
    AFTER_LUNCH = "pcd"
    AFTER_DINNER = "pcv"


class Weekday(StrEnum):
    """A day of the week."""

    MONDAY = "mon"
    TUESDAY = "tue"
    WEDNESDAY = "wed"
    THURSDAY = "thu"
    FRIDAY = "fri"
    SATURDAY = "sat"
    SUNDAY = "sun"


@dataclass(frozen=True)
class Timing:
    """`frequency` times (up to `frequency_to`) every `period` (up to `period_to`) of `span`; numbers as written.

    `said` is the code in the provider's words, where it is none that we know: then no number says how often. `offset`
    are minutes before or after what `moments` names. `count` (up to `count_to`) is how many times in all, `lasts` how
    long it goes on, `takes` how long each time is. `events` are single moments, as sent. `unread` are the parts of it
    that we do not understand, each as sent.
    """

    said: str = ""
    frequency: str = ""
    frequency_to: str = ""
    period: str = ""
    period_to: str = ""
    span: Span | None = None
    moments: tuple[Moment, ...] = ()
    offset: str = ""
    weekdays: tuple[Weekday, ...] = ()
    times_of_day: tuple[str, ...] = ()
    count: str = ""
    count_to: str = ""
    takes: Length = field(default_factory=Length)
    lasts: Length = field(default_factory=Length)
    bounds: When = field(default_factory=When)
    events: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


_MOMENTS = {moment.value: moment for moment in Moment}
_WEEKDAYS = {day.value: day for day in Weekday}
# HL7 v3 GTSAbbreviation: how often each means.
_USUAL = {
    "qd": ("1", "1", Span.DAY),
    "bid": ("2", "1", Span.DAY),
    "tid": ("3", "1", Span.DAY),
    "qid": ("4", "1", Span.DAY),
    "qod": ("1", "2", Span.DAY),
    **{f"q{hours}h": ("1", str(hours), Span.HOUR) for hours in range(1, 25)},
}
_USUAL_MOMENTS = {"am": Moment.MORNING, "pm": Moment.AFTERNOON, "bed": Moment.BEDTIME, "hs": Moment.BEDTIME}


_MEALTIMES = frozenset({"ac", "acm", "acd", "acv", "pc", "pcm", "pcd", "pcv", "wake", "phs"})
_OFTEN = ("frequency", "frequencyMax", "period", "periodMax", "periodUnit", "periodUnits")
_LASTING = ("boundsDuration", "boundsQuantity", "boundsRange")
_TAKING = ("duration", "durationMax", "durationUnit", "durationUnits")
_COUNTED = ("count", "countMax")
_LISTS = ("when", "dayOfWeek", "timeOfDay")
_READ = frozenset((*_OFTEN, *_LASTING, *_TAKING, *_COUNTED, *_LISTS, "boundsPeriod", "offset", "id", "extension"))


def read(sent: Element) -> Timing:
    """A Timing of either version."""
    repeat, code = elements.child(sent, "repeat"), elements.child(sent, "code")
    found = _repeated(repeat, events=elements.texts(sent, "event")[:_MOST])
    coded = tuple(each.lower() for each in (*elements.codes(code), title_of(code)))
    told: dict[str, Any] = {"frequency": "", "frequency_to": "", "period": "", "period_to": "", "span": None}
    if usual := next((_USUAL[each] for each in coded if each in _USUAL), None):
        frequency, period, span = usual
        told |= {"frequency": frequency, "period": period, "span": span}
    elif at := next((_USUAL_MOMENTS[each] for each in coded if each in _USUAL_MOMENTS), None):
        told |= {"moments": tuple(dict.fromkeys((at, *found.moments)))}
    elif said := title_of(code):
        told |= {"said": said}
    else:
        often = _often_unread(repeat, found)  # "once a day" is not what is left of "two" times
        unread = (*often, *outline.as_sent(sent, "code"), *found.unread)
        return replace(found, **(told if often else {}), unread=unread)
    return replace(found, **told)


def _repeated(repeat: Element, *, events: tuple[str, ...]) -> Timing:
    """The structure, with what is not understood of it but for how often."""
    unit = elements.text(repeat, "periodUnit") or elements.text(repeat, "periodUnits")
    takes, unread = _takes(repeat)
    lasts = next(filter(None, (lengths.read(elements.child(repeat, name)) for name in _LASTING)), Length())
    sent = {name: status_codes(repeat, name) for name in ("when", "dayOfWeek")}
    counts = _counts(repeat)
    unread += tuple(name for name, number in counts.items() if not number)
    unread += tuple(name for name in _LASTING if not lasts)
    if len(sent["when"]) != 1 or not _MEALTIMES & set(sent["when"]):  # minutes from what, and before it or after?
        unread += ("offset",)
        counts["offset"] = ""
    unread += ("when",) if any(code not in _MOMENTS for code in sent["when"]) else ()
    unread += ("dayOfWeek",) if any(code not in _WEEKDAYS for code in sent["dayOfWeek"]) else ()
    unread += tuple(name for name in repeat if name not in _READ and not name.startswith("_"))
    return Timing(
        frequency=_number(repeat, "frequency"),
        frequency_to=_number(repeat, "frequencyMax"),
        period=_number(repeat, "period"),
        period_to=_number(repeat, "periodMax"),
        span=lengths.span_of(unit),
        moments=tuple(_MOMENTS[code] for code in sent["when"] if code in _MOMENTS)[:_MOST],
        offset=counts["offset"],
        weekdays=tuple(_WEEKDAYS[code] for code in sent["dayOfWeek"] if code in _WEEKDAYS)[:_MOST],
        times_of_day=tuple(time[:5] for time in elements.texts(repeat, "timeOfDay"))[:_MOST],
        count=counts["count"],
        count_to=counts["countMax"],
        takes=takes,
        lasts=lasts,
        bounds=moments.of_period(elements.child(repeat, "boundsPeriod"), means="taken"),
        events=events,
        unread=outline.as_sent(repeat, *unread),
    )


def _counts(repeat: Element) -> dict[str, str]:
    """The numbers that stand alone. Of a count with an end that is not understood none: its other end is another."""
    counts = {name: _number(repeat, name) for name in (*_COUNTED, "offset")}
    if any(repeat.get(name) is not None and not counts[name] for name in _COUNTED):
        counts |= dict.fromkeys(_COUNTED, "")
    return counts


def _takes(repeat: Element) -> tuple[Length, tuple[str, ...]]:
    """How long each time is; where that is not understood, what was sent of it."""
    unit = elements.text(repeat, "durationUnit") or elements.text(repeat, "durationUnits")
    ends = ({"value": repeat.get(name), "unit": unit} for name in ("duration", "durationMax"))
    low, high = (lengths.read(end).low for end in ends)
    takes = Length(low, high)
    is_read = (
        bool(low) == ("duration" in repeat) and bool(high) == ("durationMax" in repeat) and bool(unit or not takes)
    )
    return (takes, ()) if is_read else (Length(), _TAKING)


def _often_unread(repeat: Element, found: Timing) -> tuple[str, ...]:
    """What was sent of how often, unless all of it is understood."""
    sent = {name for name in _OFTEN if name in repeat}
    numbers = {name for name in _OFTEN[:4] if _number(repeat, name)}
    is_read = not sent or (found.span is not None and found.period and sent - set(_OFTEN[4:]) == numbers)
    return () if is_read else outline.as_sent(repeat, *_OFTEN)


def _number(element: Element, name: str) -> str:
    found = elements.number(element, name)
    return lengths.plain(found) if found is not None and found > 0 else ""
