"""How often something is taken: a Timing of either FHIR version, as numbers and words of closed sets.

DSTU2 has `periodUnits`, one `when` and `boundsQuantity`; R4 has `periodUnit`, several `when` and `boundsDuration`. The
code of a timing (BID) is a complete statement of how often, and takes precedence over the structured `repeat` (R4
Timing.code); some servers send "once a day" in the structure beside every code. Words beside the code that say more
than the code take precedence over it, and the code is then shown as sent. What we do not understand is kept as sent.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from apps.records.presenters import elements, outline
from apps.records.presenters.codeable_concepts import codes_of, title_of
from apps.records.presenters.datatypes import lengths, moments
from apps.records.presenters.datatypes.lengths import NO_LENGTH, Length, Span
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.dosing import frequencies
from apps.records.presenters.elements import Element
from apps.records.presenters.heads import status_codes

_MOST = 24  # times of day; more can only be an error


class Moment(StrEnum):
    """A time of day or a daily event, with the codes of HL7 EventTiming."""

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


class Timing(msgspec.Struct, frozen=True, gc=False):
    """`frequency` times (up to `frequency_to`) every `period` (up to `period_to`) of `span`; numbers as written.

    `said` is the code in the provider's words, if we do not know them; then no number says how often. `offset` is in
    minutes before or after the event in `moments`. `count` (up to `count_to`) is how many times in all, `lasts` for how
    long, `takes` how long each time takes. `events` are single moments, as sent. `unread` are the parts that we do not
    understand, each as sent.
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
    takes: Length = NO_LENGTH
    lasts: Length = NO_LENGTH
    bounds: When = UNDATED
    events: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


_MOMENTS = {moment.value: moment for moment in Moment}
_WEEKDAYS = {day.value: day for day in Weekday}
# HL7 v3 GTSAbbreviation: the frequency, period and unit that each code means.
_USUAL: Final[Mapping[str, tuple[str, str, Span]]] = {
    "qd": ("1", "1", Span.DAY),
    "bid": ("2", "1", Span.DAY),
    "tid": ("3", "1", Span.DAY),
    "qid": ("4", "1", Span.DAY),
    "qod": ("1", "2", Span.DAY),
    **{f"q{hours}h": ("1", str(hours), Span.HOUR) for hours in range(1, 25)},
}
_USUAL_MOMENTS = {"am": Moment.MORNING, "pm": Moment.AFTERNOON, "bed": Moment.BEDTIME, "hs": Moment.BEDTIME}
_OF_TIMING = frozenset({"id", "extension", "event", "repeat", "code"})


_MEALTIMES = frozenset({"ac", "acm", "acd", "acv", "pc", "pcm", "pcd", "pcv", "wake", "phs"})
_OFTEN = ("frequency", "frequencyMax", "period", "periodMax", "periodUnit", "periodUnits")
_LASTING = ("boundsDuration", "boundsQuantity", "boundsRange")
_TAKING = ("duration", "durationMax", "durationUnit", "durationUnits")
_COUNTED = ("count", "countMax")
_LISTS = ("when", "dayOfWeek", "timeOfDay")
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?", re.ASCII)
_READ = frozenset((*_OFTEN, *_LASTING, *_TAKING, *_COUNTED, *_LISTS, "boundsPeriod", "offset", "id", "extension"))


def read(sent: Element) -> Timing:
    """Read a Timing of either FHIR version."""
    repeat, code = elements.child(sent, "repeat"), elements.child(sent, "code")
    found = _repeated(repeat, events=elements.texts(sent, "event")[:_MOST])
    found = replace(found, unread=(*_timing_unread(sent, found), *found.unread))
    known, words = _known(code), _words(code)
    more = next((each for each in words if not _is_meant(each, known)), "")
    if more:
        return _said(more, sent, found, is_alone=not known and len(words) == 1)
    if known:
        return _abbreviated(known, repeat, found)
    often = _often_unread(repeat, found)  # a frequency of "two" is not understood, and must not become once a day
    unread = (*often, *outline.as_sent(sent, "code"), *found.unread)
    return replace(found, **(_NO_RATE if often else {}), unread=unread)


_NO_RATE: Final[Mapping[str, Any]] = {"frequency": "", "frequency_to": "", "period": "", "period_to": "", "span": None}


def _said(words: str, sent: Element, found: Timing, *, is_alone: bool) -> Timing:
    """The timing in these words; whatever else the code contains is kept as sent."""
    repeat, code = elements.child(sent, "repeat"), elements.child(sent, "code")
    coding = {"code": {name: part for name, part in code.items() if name != "text" or part != words}}
    unread = () if is_alone else outline.as_sent(coding, "code")
    unread += () if _says_moments(words, found) else outline.as_sent(repeat, "when")
    unread += _often_beside(repeat, found, frequencies.meant_by(words))
    return replace(found, **_NO_RATE, said=words, unread=tuple(dict.fromkeys((*unread, *found.unread))))


def _abbreviated(known: str, repeat: Element, found: Timing) -> Timing:
    """The timing that the abbreviation means."""
    found = replace(found, unread=(*_often_beside(repeat, found, _USUAL.get(known)), *found.unread), **_NO_RATE)
    if at := _USUAL_MOMENTS.get(known):
        return replace(found, moments=tuple(dict.fromkeys((at, *found.moments))))
    frequency, period, span = _USUAL[known]
    return replace(found, frequency=frequency, period=period, span=span)


def _known(code: Element) -> str:
    """The first abbreviation that we know, in lower case; one for how often comes before one for when. Empty if we know
    none."""
    coded = [each.lower() for each in (*elements.codes(code), title_of(code))]
    return next((each for usual in (_USUAL, _USUAL_MOMENTS) for each in coded if each in usual), "")


def _words(code: Element) -> tuple[str, ...]:
    """The provider's words for the timing: the title, the displays of its codings, and the abbreviations that we
    know."""
    codings = codes_of(code)
    abbreviations = [
        each.code for each in codings if each.code.lower() in _USUAL or each.code.lower() in _USUAL_MOMENTS
    ]
    said = (title_of(code), *(each.display for each in codings), *abbreviations)
    return tuple({each.casefold(): each for each in reversed(said) if each}.values())[::-1]


def _is_meant(words: str, known: str) -> bool:
    """Whether words beside a code mean the same as the code. "Every other day" beside QD, or "2 times a day after
    meals" beside BID, do not, and are shown."""
    plain = words.casefold().strip(" .")
    if known in _USUAL:
        return (_USUAL.get(plain) or frequencies.meant_by(words)) == _USUAL[known]
    if known in _USUAL_MOMENTS:
        moment = _USUAL_MOMENTS[known]
        name = moment.name.lower()
        usual = {name, f"in the {name}", f"at {name}", f"every {name}", f"each {name}"}
        return _USUAL_MOMENTS.get(plain) is moment or plain.removesuffix(" at institution specified time") in usual
    return False


def _says_moments(words: str, found: Timing) -> bool:
    return all(moment.name.lower().replace("_", " ") in words.casefold() for moment in found.moments)


def _often_beside(repeat: Element, found: Timing, meant: tuple[str, str, Span] | None) -> tuple[str, ...]:
    """The frequency in the structure, as sent, if it differs from the code. "Once a day" does not count, because some
    servers send it beside every code."""
    if often := _often_unread(repeat, found):
        return often
    told = (found.frequency or "1", found.period, found.span)
    is_same = not (found.frequency_to or found.period_to) and told in {("1", "1", Span.DAY), meant}
    return () if is_same else outline.as_sent(repeat, *_OFTEN)


def _timing_unread(sent: Element, found: Timing) -> tuple[str, ...]:
    """What was sent beside `code`, `repeat` and `event`, and any of these that could not be read completely; all as
    sent."""
    lost = [name for name in ("repeat", "code") if _count(sent.get(name)) != int(bool(elements.child(sent, name)))]
    lost += ["event"] if len(found.events) != _count(sent.get("event")) else []
    return outline.as_sent(sent, *lost, *(name for name in sent if name not in _OF_TIMING and not name.startswith("_")))


def _count(sent: object) -> int:
    return len(sent) if isinstance(sent, list) else int(bool(sent))


def _repeated(repeat: Element, *, events: tuple[str, ...]) -> Timing:
    """The structure, with the parts that we do not understand, except the frequency (`_often_unread`)."""
    unit = elements.text(repeat, "periodUnit") or elements.text(repeat, "periodUnits")
    takes, unread = _takes(repeat)
    lasting = [name for name in _LASTING if lengths.read(elements.child(repeat, name))][:1]
    lasts = lengths.read(elements.child(repeat, lasting[0])) if lasting else Length()
    sent = {name: status_codes(repeat, name) for name in ("when", "dayOfWeek")}
    counts = _counts(repeat)
    unread += tuple(name for name, number in counts.items() if not number)
    unread += tuple(name for name in _LASTING if name not in lasting)
    if len(sent["when"]) != 1 or not _MEALTIMES & set(sent["when"]):  # otherwise: minutes before or after what?
        unread += ("offset",)
        counts["offset"] = ""
    unread += ("when",) if any(code not in _MOMENTS for code in sent["when"]) else ()
    unread += ("dayOfWeek",) if any(code not in _WEEKDAYS for code in sent["dayOfWeek"]) else ()
    times = tuple(time[:5] for time in elements.texts(repeat, "timeOfDay") if _TIME.fullmatch(time))[:_MOST]
    unread += ("timeOfDay",) if len(times) != _count(repeat.get("timeOfDay")) else ()
    bounds = moments.of_period(elements.child(repeat, "boundsPeriod"), means="taken")
    unread += () if bounds else ("boundsPeriod",)
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
        times_of_day=times,
        count=counts["count"],
        count_to=counts["countMax"],
        takes=takes,
        lasts=lasts,
        bounds=bounds,
        events=events,
        unread=outline.as_sent(repeat, *unread),
    )


def _counts(repeat: Element) -> dict[str, str]:
    """The counts and the offset. If one end of the count is not understood, both are empty: the other end alone is not
    the count."""
    counts = {name: _number(repeat, name) for name in (*_COUNTED, "offset")}
    if any(repeat.get(name) is not None and not counts[name] for name in _COUNTED):
        counts |= dict.fromkeys(_COUNTED, "")
    return counts


def _takes(repeat: Element) -> tuple[Length, tuple[str, ...]]:
    """How long each time takes; if we do not understand that, the names of its elements."""
    unit = elements.text(repeat, "durationUnit") or elements.text(repeat, "durationUnits")
    ends = ({"value": repeat.get(name), "unit": unit} for name in ("duration", "durationMax"))
    low, high = (lengths.read(end).low for end in ends)
    takes = Length(low, high)
    is_read = (
        bool(low) == ("duration" in repeat) and bool(high) == ("durationMax" in repeat) and bool(unit) == bool(takes)
    )
    return (takes, ()) if is_read else (Length(), _TAKING)


def _often_unread(repeat: Element, found: Timing) -> tuple[str, ...]:
    """The frequency as sent, unless we understand all of it."""
    sent = {name for name in _OFTEN if name in repeat}
    numbers = {name for name in _OFTEN[:4] if _number(repeat, name)}
    is_read = not sent or (found.span is not None and found.period and sent - set(_OFTEN[4:]) == numbers)
    return () if is_read else outline.as_sent(repeat, *_OFTEN)


def _number(element: Element, name: str) -> str:
    found = elements.number(element, name)
    return lengths.plain(found) if found is not None and found > 0 else ""
