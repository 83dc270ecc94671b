"""How often something is taken, as people write it: "2 times daily", "every 6 hours", "weekly", "BID"."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from apps.records.presenters.datatypes.lengths import Span
from apps.records.presenters.dosing import amounts_in_text


class Often(NamedTuple):
    """So many `times` in every so many (`period`) hours, days or weeks (`span`)."""

    times: str
    period: str
    span: Span


def named_in(said: str) -> Iterator[Often]:
    """Every frequency that a plain text (`amounts_in_text.plain`) names."""
    return (_often(match) for match in _OFTEN.finditer(said))


def meant_by(words: str) -> Often | None:
    """The frequency that these words state; None if they say anything else."""
    match = _OFTEN.fullmatch(_TAIL.sub("", amounts_in_text.plain(words).replace(".", "")))
    return _often(match) if match else _ALONE.get(words.casefold().strip(" ."))


def a_day(often: Often) -> Fraction:
    """The frequency in times a day."""
    return Fraction(often.times) / (Fraction(often.period) * DAYS[often.span])


def _often(match: re.Match[str]) -> Often:
    if hours := match["hours"]:
        return Often("1", hours.lstrip("0") or "24", Span.HOUR)
    if days := match["days"]:
        return Often("1", "2" if days == "other" else days.lstrip("0") or "1", Span.DAY)
    if latin := match["latin"]:
        return _LATIN[latin]
    times = {"once": "1", "twice": "2", "thrice": "3"}.get(match["times"] or "", match["number"] or "1")
    is_weekly = (match["span"] or match["weekly"]).startswith("w")
    return Often(times.lstrip("0") or "1", "1", Span.WEEK if is_weekly else Span.DAY)


DAYS: Final[Mapping[Span, Fraction]] = {Span.HOUR: Fraction(1, 24), Span.DAY: Fraction(1), Span.WEEK: Fraction(7)}
_LATIN: Final[Mapping[str, Often]] = {
    "qd": Often("1", "1", Span.DAY),
    "bid": Often("2", "1", Span.DAY),
    "tid": Often("3", "1", Span.DAY),
    "qid": Often("4", "1", Span.DAY),
    "qod": Often("1", "2", Span.DAY),
}
_ALONE: Final[Mapping[str, Often]] = {
    "daily": Often("1", "1", Span.DAY),  # in a longer text, "daily" may refer to a total
    "every day": Often("1", "1", Span.DAY),
    "each day": Often("1", "1", Span.DAY),
    "every hour": Often("1", "1", Span.HOUR),
    "two daily": Often("2", "1", Span.DAY),
    "three daily": Often("3", "1", Span.DAY),
    "four daily": Often("4", "1", Span.DAY),
}
_TAIL = re.compile(r" at institution specified times?$")  # as HL7 words its abbreviations
_OFTEN: Final = re.compile(
    r"\b(?:(?P<times>once|twice|thrice)|(?P<number>[0-9]{1,2}) ?(?:times?|x))"
    r"(?: ?/ ?| (?:a|per|each|every|in a) | )(?P<span>daily|day|weekly|week|wk)\b"
    r"|\b(?:every|q) ?(?P<hours>[0-9]{1,2}) ?(?:hours?|hrs?|h)\b"
    r"|\bevery (?P<days>other|[0-9]{1,2}) days?\b"
    r"|\b(?P<latin>qd|bid|tid|qid|qod)\b"
    r"|\b(?P<weekly>weekly|(?<=every )week)\b"
)
