"""When something was, with the precision sent, and its position in a list (patient experience 3.0, Dates)."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import cache
from typing import Final, TypeAlias

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.wire import datetimes

_NOT_KNOWN = frozenset({"unknown", "asked-unknown", "temp-unknown"})
DAYS_A_YEAR = 365.2425
_PLAIN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?", re.ASCII)  # nearly all dates
_DAY = 10


class When(msgspec.Struct, frozen=True, gc=False):
    """A date, a moment, a period, an age or a text, as sent.

    `means` says what happened then: collected, reported, given, prescribed, taken, prepared, filled, ordered, done,
    noticed, started, ended, valid, care, paid, written-down, seen, planned, due, born or, if the resource does not
    say, recorded. `starts` and `ends` are FHIR dates as sent; `is_open` marks a period that has not ended. `age_from`
    and `age_to` are in years. `text` is anything that is not a date. `unknown`: the provider says that it does not
    know. `sorts_at` orders a list (`sort_key`); if it is empty, the entry comes last.
    """

    means: str = ""
    starts: str = ""
    ends: str = ""
    is_open: bool = False
    age_from: float | None = None
    age_to: float | None = None
    text: str = ""
    unknown: bool = False
    sorts_at: str = ""

    def __bool__(self) -> bool:
        """Whether anything was sent, other than why it is missing."""
        return bool(self.starts or self.ends or self.text or self.age_from is not None or self.age_to is not None)


UNDATED: Final = When()


def read(resource: Element, *names: str, means: str, birth_date: date | None = None) -> When:
    """Read the first of these elements that has a value. The name `effective` also finds effectiveDateTime, -Date,
    -Instant, -Period, -Age, -Quantity, -Range, -String and -Timing; an element of the plain name may be of any of these
    types. If none has a value, the result is `unknown` if the provider says so of one of them."""
    unknown = None
    for name in names:
        possible, readers = _readers(name)
        if possible.isdisjoint(resource):
            continue
        for element, read_it in readers:
            if resource.get(element):
                found = read_it(resource, element, means, birth_date)
                if found:
                    return found
                unknown = found if found.unknown else unknown
    return When(means=means) if unknown is None else unknown


@cache
def _readers(name: str) -> tuple[frozenset[str], tuple[tuple[str, "_Reader"], ...]]:
    """The elements that a name stands for, and each of them with its reader; the readers of a reason for its absence
    come last."""
    kinds: tuple[tuple[_Reader, tuple[str, ...]], ...] = (
        (_read_text, ("", "DateTime", "Date", "Instant", "String")),
        (_read_period, ("", "Period")),
        (_read_timing, ("", "Timing")),
        (_read_age, ("Age", "Quantity", "Range", "")),  # an Age is sent as onsetQuantity in DSTU2
    )
    said = tuple((f"{name}{suffix}", read_it) for read_it, suffixes in kinds for suffix in suffixes)
    silent = (f"_{name}", f"_{name}DateTime", f"_{name}Date", f"_{name}String", name, f"{name}Period")
    readers = (*said, *((element, _read_reason) for element in silent))
    return frozenset(element for element, _read_it in readers), readers


_Reader: TypeAlias = Callable[[Element, str, str, date | None], When]


def _read_text(resource: Element, element: str, means: str, _birth_date: date | None) -> When:
    written = elements.text(resource, element)
    return of_text(written, means=means) if written else When(means=means)


def _read_period(resource: Element, element: str, means: str, _birth_date: date | None) -> When:
    return of_period(elements.child(resource, element), means=means)


def _read_timing(resource: Element, element: str, means: str, _birth_date: date | None) -> When:
    return _of_timing(elements.child(resource, element), means=means)


def _read_age(resource: Element, element: str, means: str, birth_date: date | None) -> When:
    return _of_age(elements.child(resource, element), means=means, birth_date=birth_date)


def _read_reason(resource: Element, element: str, means: str, _birth_date: date | None) -> When:
    return When(means=means, unknown=elements.absent_reason(elements.child(resource, element)) in _NOT_KNOWN)


def of_text(written: str, *, means: str) -> When:
    """Read a FHIR date, or keep any other text."""
    sorts_at = sort_key(written)
    return When(means=means, starts=written, sorts_at=sorts_at) if sorts_at else When(means=means, text=written)


def of_period(period: Element, *, means: str) -> When:
    """Read a Period; one without a start is sorted by its end. If either end is not a date, both become one text."""
    starts, ends = elements.text(period, "start"), elements.text(period, "end")
    if not starts and not ends:
        return When(means=means)
    starts_at, ends_at = sort_key(starts), sort_key(ends)
    sorts_at = starts_at or ends_at
    if bool(starts) != bool(starts_at) or bool(ends) != bool(ends_at):
        return When(means=means, text=" - ".join(filter(None, (starts, ends))), sorts_at=sorts_at)
    return When(means=means, starts=starts, ends=ends, is_open=not ends, sorts_at=sorts_at)


def _of_timing(timing: Element, *, means: str) -> When:
    """The first event of a Timing; without events, its bounds."""
    events = elements.texts(timing, "event")
    if events:
        return of_text(events[0], means=means)
    repeat = elements.child(timing, "repeat")
    return of_period(elements.child(repeat, "boundsPeriod"), means=means)


def _of_age(quantity: Element, *, means: str, birth_date: date | None) -> When:
    low, high = elements.child(quantity, "low"), elements.child(quantity, "high")
    if low or high:
        age_from, age_to = _years(low), _years(high)
    else:
        age_from, age_to = _years(quantity), None
        if age_from is None or elements.text(quantity, "comparator"):  # "under 5 years" is not "at age 5"
            return When(means=means, text=_as_sent(quantity))
    known = age_from if age_from is not None else age_to
    return When(means=means, age_from=age_from, age_to=age_to, sorts_at=_at_age(known, birth_date))


def _as_sent(quantity: Element) -> str:
    value = elements.number(quantity, "value")
    parts = (elements.text(quantity, "comparator"), str(value), elements.text(quantity, "unit"))
    return "" if value is None else " ".join(filter(None, parts))


def _at_age(years: float | None, birth_date: date | None) -> str:
    if birth_date is None or years is None:
        return ""
    try:
        return sort_key((birth_date + timedelta(days=years * DAYS_A_YEAR)).isoformat())
    except OverflowError:
        return ""


_YEARS_IN = {
    **dict.fromkeys(("a", "y", "yr", "yrs", "year", "years", ""), 1.0),
    **dict.fromkeys(("mo", "mos", "month", "months"), 1 / 12),
    **dict.fromkeys(("wk", "wks", "week", "weeks"), 7 / DAYS_A_YEAR),
    **dict.fromkeys(("d", "day", "days"), 1 / DAYS_A_YEAR),
}


def _years(quantity: Element) -> float | None:
    value = elements.number(quantity, "value")
    unit = _YEARS_IN.get((elements.text(quantity, "code") or elements.text(quantity, "unit")).lower())
    return None if value is None or unit is None else round(float(value) * unit, 4)  # to about an hour


def sort_key(written: str) -> str:
    """The key of a date for lists with the newest first: a year alone comes after all dates in that year, and a month
    alone after all in that month.

    The key is an ISO moment in UTC with its precision. All keys are of one length, so that they compare as moments do.
    Empty if the text is not a date.
    """
    if _PLAIN.fullmatch(written):
        try:
            datetime.fromisoformat(written)
        except ValueError:  # February 30, or a leap second
            pass
        else:
            return f"{written[:19]}+00:00/4" if len(written) > _DAY else f"{written}T00:00:00+00:00/3"
    parsed = datetimes.parse(written) if written else None
    return "" if parsed is None else f"{parsed.starts_at.isoformat(timespec='seconds')}/{parsed.precision:d}"
