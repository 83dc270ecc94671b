"""How often something is taken: a Timing of either version as closed words and numbers.

DSTU2 has `periodUnits`, one `when` and `boundsQuantity` where R4 has `periodUnit`, several and `boundsDuration`. A code
of the timing (BID) is the whole statement and goes before the structured repeat (R4 Timing.code); some servers send
"once a day" in structure beside every code they have.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from apps.records.presenters import elements, moments, quantities
from apps.records.presenters.elements import Element
from apps.records.presenters.heads import mapped, status_codes, title_of
from apps.records.presenters.moments import When
from apps.records.presenters.quantities import Quantity

_MOST = 24  # times of a day; more is an accident


class Span(StrEnum):
    """The unit of a period."""

    SECOND = "s"
    MINUTE = "min"
    HOUR = "h"
    DAY = "d"
    WEEK = "wk"
    MONTH = "mo"
    YEAR = "a"


class Moment(StrEnum):
    """An event of the day, with the codes of HL7 EventTiming."""

    MORNING = "morn"
    NOON = "noon"
    AFTERNOON = "aft"
    EVENING = "eve"
    NIGHT = "night"
    BEDTIME = "hs"
    WAKING = "wake"
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

    `said` is the code in the provider's words, where it is none that we know: then nothing else says how often.
    """

    said: str = ""
    frequency: str = ""
    frequency_to: str = ""
    period: str = ""
    period_to: str = ""
    span: Span | None = None
    moments: tuple[Moment, ...] = ()
    weekdays: tuple[Weekday, ...] = ()
    times_of_day: tuple[str, ...] = ()
    count: str = ""
    lasts: Quantity = field(default_factory=Quantity)
    bounds: When = field(default_factory=When)


_SPANS = {span.value: span for span in Span}
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


def read(sent: Element) -> Timing:
    """A Timing of either version."""
    repeat, code = elements.child(sent, "repeat"), elements.child(sent, "code")
    lasts = quantities.read(elements.child(repeat, "boundsDuration") or elements.child(repeat, "boundsQuantity"))
    bounds = moments.of_period(elements.child(repeat, "boundsPeriod"), means="taken")
    coded = tuple(found.lower() for found in (*elements.codes(code), title_of(code)))
    if usual := next((_USUAL[found] for found in coded if found in _USUAL), None):
        frequency, period, span = usual
        return Timing(frequency=frequency, period=period, span=span, lasts=lasts, bounds=bounds)
    if at := next((_USUAL_MOMENTS[found] for found in coded if found in _USUAL_MOMENTS), None):
        return Timing(moments=(at,), lasts=lasts, bounds=bounds)
    if said := title_of(code):
        return Timing(said=said, lasts=lasts, bounds=bounds)
    return _repeated(repeat, lasts=lasts, bounds=bounds)


def plain(number: Decimal | None) -> str:
    """A number of ours to be read: no trailing zero, always a leading one (patient experience 3.1)."""
    if number is None:
        return ""
    written = f"{number:f}"
    return (written.rstrip("0").rstrip(".") if "." in written else written) or "0"


def _repeated(repeat: Element, *, lasts: Quantity, bounds: When) -> Timing:
    span = mapped(repeat, "periodUnit", _SPANS) or mapped(repeat, "periodUnits", _SPANS)
    return Timing(
        frequency=_number(repeat, "frequency"),
        frequency_to=_number(repeat, "frequencyMax"),
        period=_number(repeat, "period"),
        period_to=_number(repeat, "periodMax"),
        span=span,
        moments=tuple(_MOMENTS[code] for code in status_codes(repeat, "when") if code in _MOMENTS)[:_MOST],
        weekdays=tuple(_WEEKDAYS[code] for code in status_codes(repeat, "dayOfWeek") if code in _WEEKDAYS)[:_MOST],
        times_of_day=tuple(time[:5] for time in elements.texts(repeat, "timeOfDay"))[:_MOST],
        count=_number(repeat, "count"),
        lasts=lasts,
        bounds=bounds,
    )


def _number(element: Element, name: str) -> str:
    found = elements.number(element, name)
    return plain(found) if found is not None and found > 0 else ""
