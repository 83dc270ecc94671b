"""The values of a test as a file for a spreadsheet: what the table shows, but with the unit in its own column and dates
as they were sent, so that they sort (patient experience 4.3)."""

from collections.abc import Iterator

from django.utils.translation import gettext

from apps.records.charts.rows import Row
from apps.records.presenters.observations.values import Kind
from apps.records.viewing import spreadsheets, value_rows
from apps.records.viewing.over_time import OneTest


def of(test: OneTest) -> str:
    """All values, series by series, newest first. If there are more than the file takes, its last line says so."""
    return spreadsheets.MARK + spreadsheets.lines(_lines(test))


def _lines(test: OneTest) -> Iterator[Iterator[str] | tuple[str, ...]]:
    date, value, *others = value_rows.columns()
    yield (date, value, gettext("Unit"), *others)
    for one in test.drawn:
        for row in one.table.rows:
            yield _cells(row, one.series.unit)
    if test.cut_at:
        said = gettext("Here are the newest %(shown)s. To get the others, download everything as received.")
        yield (said % {"shown": test.cut_at},)


def _cells(row: Row, unit: str) -> Iterator[str]:
    """`unit` is that of the axis, which a blood pressure needs: it has only its two parts, and no value of its own."""
    yield row.when.starts or row.when.ends or row.when.text
    value = row.measured.value
    own = {Kind.QUANTITY: value.quantity.unit_shown, Kind.NOTHING: unit}.get(Kind(value.kind), "")
    behind = value.quantity.unit_behind if value.kind == Kind.QUANTITY else f" {own}"
    number = row.shown.removesuffix(behind) if own else row.shown
    yield number or value_rows.value(row)
    yield own if number != row.shown else ""
    yield value_rows.place(row)
    yield value_rows.ranges(row)
    yield value_rows.providers(row)
    yield "; ".join(value_rows.notes(row))
