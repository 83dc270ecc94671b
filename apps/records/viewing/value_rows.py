"""A value of a test in words: what its row in the table says, and its line in the file (patient experience 4.3)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext

from apps.records.charts.rows import Row
from apps.records.presenters.datatypes.dates import Calendar
from apps.records.viewing.wording import cautions, dates_in_words, doubts, values_in_words, words


def columns() -> tuple[str, ...]:
    """What the rows say, in this order."""
    return (
        gettext("Date"),
        gettext("Value"),
        gettext("Compared with the usual range"),
        gettext("Usual range"),
        gettext("Provider"),
        gettext("Note"),
    )


def dates(rows: Sequence[Row]) -> tuple[str, ...]:
    """When each was: with clock times where a day has several, as nobody would know which of them was first."""
    calendar = Calendar()
    days = [dates_in_words.in_words(row.when, calendar.sent_date) for row in rows]
    times = Counter(days)
    return tuple(
        dates_in_words.in_full(row.when, calendar.sent_moment) if times[day] > 1 else day
        for row, day in zip(rows, days, strict=True)
    )


def value(row: Row) -> str:
    """The value as sent; what a chart cannot show (a yes, a date, why there is none) in words."""
    return row.shown or values_in_words.of_value(row.measured.value)


def place(row: Row) -> str:
    """Where it stands, and who says so."""
    return values_in_words.of_place(row.measured)


def ranges(row: Row) -> str:
    """The ranges that the laboratory sent with it."""
    return "; ".join(map(values_in_words.of_range, row.measured.ranges))


def providers(row: Row) -> str:
    """Who sent it, or the very same."""
    return ", ".join(row.providers)


def notes(row: Row) -> Iterator[str]:
    """Its status, where there is one to tell, what it was before, that it may mean something else than it seems to, and
    what was said with it."""
    if status := words.of_status(row.entry):
        yield status
    if row.before:
        yield gettext("Before the correction: %(value)s") % {"value": row.before}
    if caution := cautions.in_short(is_modified=row.is_modified):
        yield caution
        yield from doubts.each(row.doubts)
    if row.at_home:
        yield gettext("Measured at home")
    yield from row.said
