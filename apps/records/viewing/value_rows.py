"""A value of a test in words: its row in the table, and its line in the file (patient experience 4.3)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext

from apps.records.charts.rows import Row
from apps.records.presenters.datatypes.dates import Calendar
from apps.records.viewing.wording import cautions, dates_in_words, doubts, values_in_words, words


def columns() -> tuple[str, ...]:
    """The headings of the columns, in this order."""
    return (
        gettext("Date"),
        gettext("Value"),
        gettext("Compared with the usual range"),
        gettext("Usual range"),
        gettext("Provider"),
        gettext("Note"),
    )


def dates(rows: Sequence[Row]) -> tuple[str, ...]:
    """The dates, with clock times if a day has several values, since otherwise nobody would know which was first."""
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
    """Its place in the range, and who says so."""
    return values_in_words.of_place(row.measured)


def ranges(row: Row) -> str:
    """The ranges that the laboratory sent with it."""
    return "; ".join(map(values_in_words.of_range, row.measured.ranges))


def providers(row: Row) -> str:
    """Who sent it, including others who sent the same."""
    return ", ".join(row.providers)


def notes(row: Row) -> Iterator[str]:
    """Its status if it has one to show, its earlier value, whether its meaning may be changed, and the notes sent with
    it."""
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
