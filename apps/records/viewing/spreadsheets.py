"""Rows of a CSV file (RFC 4180) that no spreadsheet executes.

No cell is a formula, whatever a provider sent and wherever a spreadsheet splits lines: a cell that would be one is
prefixed with an apostrophe.
"""

import csv
import io
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Final

# The last four are full-width characters, which spreadsheets in some languages execute as well.
_FORMULAS: Final = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
# A spreadsheet with a decimal comma splits lines at semicolons: text after one in our cells begins a new cell there,
# quoted or not. The same goes for tabs.
_BEGINS_WITHIN: Final = re.compile(r'(?<=[;\t\r\n])(?="*[=+\-@\uff1d\uff0b\uff0d\uff20])')
MARK: Final = "\N{BYTE ORDER MARK}"  # first in a file; without it some spreadsheets assume another encoding


def lines(rows: Iterable[Iterable[str]]) -> str:
    """A line for each row; a file begins with `MARK`."""
    written = io.StringIO()
    writer = csv.writer(written, quoting=csv.QUOTE_ALL)  # the separator between several notes may split a cell, too
    writer.writerows(map(_inert, row) for row in rows)
    return written.getvalue()


def _inert(cell: str) -> str:
    if _is_number(cell):
        return cell
    return _BEGINS_WITHIN.sub("'", f"'{cell}" if cell.startswith(_FORMULAS) else cell)


def _is_number(cell: str) -> bool:
    try:
        return Decimal(cell).is_finite()
    except InvalidOperation:
        return False
