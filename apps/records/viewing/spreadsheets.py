"""Rows of a CSV file (RFC 4180) in which a spreadsheet runs nothing.

No cell is a formula, whatever a provider sent and wherever a spreadsheet splits lines: one that would run has an
apostrophe before it.
"""

import csv
import io
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Final

# The last four are those of full width, which spreadsheets of some languages run as well.
_FORMULAS: Final = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
# A spreadsheet whose numbers have a decimal comma splits lines at semicolons: what stands behind one in a cell of ours
# begins a cell there, quoted or not; and so with tabs.
_BEGINS_WITHIN: Final = re.compile(r'(?<=[;\t\r\n])(?="*[=+\-@\uff1d\uff0b\uff0d\uff20])')
MARK: Final = "\N{BYTE ORDER MARK}"  # first in a file; without it some spreadsheets take it for another encoding


def lines(rows: Iterable[Iterable[str]]) -> str:
    """One line for each, the first of a file with `MARK` before it."""
    written = io.StringIO()
    writer = csv.writer(written, quoting=csv.QUOTE_ALL)  # what several notes are joined by may split a cell as well
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
