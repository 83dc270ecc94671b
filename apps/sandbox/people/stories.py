"""Shorthand for facts, so that a story reads as a list of what happened.

Times are in the practice's time zone (five hours behind UTC all year round).
"""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta, timezone

from apps.sandbox.people import catalogue
from apps.sandbox.people.catalogue import Test
from apps.sandbox.people.codes import Code
from apps.sandbox.people.facts import Document, Fact, Measurement, Regimen, Report, Visit
from apps.sandbox.people.values import Amount, Coded, Value

PRACTICE_TIME = timezone(timedelta(hours=-5))
TOLD_ON = date(2026, 10, 30)  # the stories end here


def at(year: int, month: int, day: int, hour: int = 9, minute: int = 0) -> datetime:
    """A time at the practice."""
    return datetime(year, month, day, hour, minute, tzinfo=PRACTICE_TIME)


def on(day: date, hour: int = 9, minute: int = 0) -> datetime:
    """A time at the practice on a given day."""
    return datetime.combine(day, time(hour, minute), PRACTICE_TIME)


def visit(key: str, when: datetime, kind: Code = catalogue.CHECK_UP, *, reason: Code | None = None,
          setting: str = "ambulatory", practitioner: str = "finch", minutes: int = 30) -> Visit:  # fmt: skip
    """A visit that took place."""
    return Visit(f"E:{key}", when, minutes, setting, kind, practitioner, reason)


def amount(test: Test, number: float) -> Amount:
    """A number in a test's unit with the digits the test is reported with."""
    return Amount(f"{number:.{test.digits}f}", test.unit, test.ucum)


def measured(test: Test, number: float, when: datetime, *, seen: Visit | None = None, note: str | None = None,
             status: str = "final", specimen: str | None = None) -> Measurement:  # fmt: skip
    """A number from the catalogue with its reference range and, if there is one, whether it is low, high or normal."""
    prefix = "lab" if test.category == "laboratory" else "vital"
    return Measurement(
        key=f"{prefix}:{test.code.code}:{when:%Y%m%d%H%M}",
        code=test.code,
        at=when,
        value=amount(test, number),
        category=test.category,
        low=None if test.low is None else amount(test, test.low),
        high=None if test.high is None else amount(test, test.high),
        interpretation=_interpretation(test, number),
        status=status,
        note=note,
        visit=seen.key if seen else None,
        specimen=specimen,
        issued_at=when + timedelta(hours=5) if test.category == "laboratory" else None,
    )


def found(code: Code, value: Value | None, when: datetime, category: str, *, seen: Visit | None = None,
          note: str | None = None, components: tuple[tuple[Code, Value], ...] = ()) -> Measurement:  # fmt: skip
    """A finding that is not a number from the catalogue."""
    prefix = "lab" if category == "laboratory" else "found"
    return Measurement(
        key=f"{prefix}:{code.code}:{when:%Y%m%d%H%M}", code=code, at=when, value=value, category=category,
        components=components, note=note, visit=seen.key if seen else None,
    )  # fmt: skip


def blood_pressure(systolic: int, diastolic: int, when: datetime, *, seen: Visit | None = None) -> Measurement:
    """A blood pressure: one measurement with two components."""
    parts = ((catalogue.SYSTOLIC, systolic), (catalogue.DIASTOLIC, diastolic))
    return found(
        catalogue.BLOOD_PRESSURE, None, when, "vital-signs", seen=seen,
        components=tuple((code, Amount(str(number), "mmHg", "mm[Hg]")) for code, number in parts),
    )  # fmt: skip


def smoking(answer: Code, when: datetime, seen: Visit | None = None) -> Measurement:
    """Whether somebody smokes."""
    return found(catalogue.SMOKING, Coded(answer), when, "social-history", seen=seen)


def panel(code: Code, numbers: Iterable[tuple[Test, float]], when: datetime, *, seen: Visit | None = None,
          conclusion: str | None = None, specimen: str | None = None) -> list[Fact]:  # fmt: skip
    """A laboratory report and its results."""
    results = [measured(test, number, when, seen=seen, specimen=specimen) for test, number in numbers]
    report = Report(
        key=f"{code.code}:{when:%Y%m%d%H%M}", code=code, category=catalogue.LABORATORY, at=when,
        issued_at=when + timedelta(hours=6), results=tuple(result.key for result in results), conclusion=conclusion,
        visit=seen.key if seen else None, specimen=specimen,
    )  # fmt: skip
    return [*results, report]


def tablet(sentence: str, times: int) -> Regimen:
    """One tablet, so many times a day."""
    return Regimen(sentence, Amount("1", "tablet", "{tablet}"), times)


def document(key: str, kind: Code, title: str, when: datetime, content_type: str, content: bytes, *,
             inline: bool = False, author: str = "finch", seen: Visit | None = None) -> Document:  # fmt: skip
    """A document with its file."""
    return Document(
        key, kind, title, when, author, content_type, content, inline=inline, visit=seen.key if seen else None
    )


def _interpretation(test: Test, number: float) -> str | None:
    if test.low is None and test.high is None:
        return None
    if test.low is not None and number < test.low:
        return "L"
    return "H" if test.high is not None and number > test.high else "N"
