"""The values of a test as a file for a spreadsheet: what the table says, with the unit in a column of its own and dates
as they were sent, so that they sort (patient experience 4.3, RFC 4180)."""

import csv
import io
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Final

from django.utils.translation import gettext

from apps.records.charts.rows import Row
from apps.records.presenters.observations.values import Kind
from apps.records.viewing import value_rows
from apps.records.viewing.over_time import OneTest

# The last four are those of full width, which spreadsheets of some languages run as well.
_FORMULAS: Final = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
# A spreadsheet whose numbers have a decimal comma splits lines at semicolons: what stands behind one in a cell of ours
# begins a cell there, quoted or not; and so with tabs.
_BEGINS_WITHIN: Final = re.compile(r'(?<=[;\t\r\n])(?="*[=+\-@\uff1d\uff0b\uff0d\uff20])')
_MARK: Final = "\N{BYTE ORDER MARK}"  # without it some spreadsheets take the file for another encoding


def of(test: OneTest) -> str:
    """Every value, series after series, newest first. Where there are more than a file takes, its last line says so.

    No cell is a formula, whatever a provider sent and whatever a spreadsheet splits lines at: one that it would run
    stands behind an apostrophe.
    """
    written = io.StringIO()
    lines = csv.writer(written, quoting=csv.QUOTE_ALL)  # what several notes are joined by may split a cell as well
    date, value, *others = value_rows.columns()
    lines.writerow((date, value, gettext("Unit"), *others))
    for one in test.drawn:
        lines.writerows(map(_inert, _cells(row, one.series.unit)) for row in one.table.rows)
    if test.cut_at:
        said = gettext("Here are the newest %(shown)s. Download everything as received to have the others.")
        lines.writerow((said % {"shown": test.cut_at},))
    return _MARK + written.getvalue()


def _cells(row: Row, unit: str) -> Iterator[str]:
    """`unit` is that of the axis: the one of a blood pressure, whose own value is nothing but its two parts."""
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


def _inert(cell: str) -> str:
    if _is_number(cell):
        return cell
    return _BEGINS_WITHIN.sub("'", f"'{cell}" if cell.startswith(_FORMULAS) else cell)


def _is_number(cell: str) -> bool:
    try:
        return Decimal(cell).is_finite()
    except InvalidOperation:
        return False
