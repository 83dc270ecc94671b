"""Collect rows, and copy them into the temporary tables in the format of PostgreSQL's COPY.

Every text is on one line and has no invisible characters (`reading.texts`, and the URL guard for addresses), so the
backslash is the only character to escape.
"""

from collections.abc import Iterable, Sequence

from django.db import connection

from apps.directory.list_formats import addressing
from apps.directory.list_formats.rows import (
    EndpointRow,
    Inactive,
    PairRow,
    ProviderRow,
    PublishedListRow,
    Refused,
    Row,
)

_FLAGS = {True: "t", False: "f"}
_TABLES = ("provider", "endpoint", "pair", "inactive", "published", "kept")


class Stage:
    """Holds a few thousand rows in memory until `send`. `pending` is their number, `length` the number of
    characters."""

    def __init__(self) -> None:
        self.pending = self.length = 0
        self._lines: dict[str, list[str]] = {table: [] for table in _TABLES}

    def add(self, row: Row) -> None:
        """Take a row; of a refused one, only its id."""
        self.pending += 1
        kind = type(row)
        if kind is ProviderRow:
            self._add("provider", _provider(row))  # type: ignore[arg-type]  # by its kind
        elif kind is EndpointRow:
            self._add("endpoint", _endpoint(row))  # type: ignore[arg-type]
        elif kind is PairRow:
            self._add("pair", _pair(row))  # type: ignore[arg-type]
        elif isinstance(row, Inactive):
            for key in {row.key, row.other_key} - {""}:
                self._add("inactive", _escaped(key))
        elif isinstance(row, PublishedListRow):
            self._add("published", _escaped("\t".join((str(row.number), *row[1:]))))
        elif isinstance(row, Refused) and row.directory_id:
            self._add("kept", _escaped(row.directory_id))

    def _add(self, table: str, line: str) -> None:
        self._lines[table].append(line)
        self.length += len(line)

    def send(self) -> None:
        """Copy the collected rows into the temporary tables."""
        with connection.cursor() as cursor:
            for table, lines in self._lines.items():
                if lines:
                    with cursor.copy(f"COPY import_{table} FROM STDIN") as copy:
                        copy.write("\n".join(lines))
                        copy.write("\n")
                    lines.clear()
        self.pending = self.length = 0


def _provider(row: ProviderRow) -> str:
    return _escaped(
        f"{row.number}\t{row.place}\t{row.directory_id}\t{_FLAGS[row.shares_id]}\t{_FLAGS[row.is_spare]}\t{row.key}"
        f"\t{row.other_key}\t{row.part_of}\t{row.name}\t{row.plain_name}\t{_array(row.aliases)}\t{row.kind}"
        f"\t{row.city}\t{row.state}\t{row.postal_code}\t{row.website}\t{_FLAGS[row.is_sandbox]}\t{_array(row.words)}"
    )


def _endpoint(row: EndpointRow) -> str:
    return _escaped(
        f"{row.number}\t{row.place}\t{row.key}\t{row.other_key}\t{row.fhir_base_url}\t{row.fhir_version}"
        f"\t{row.interface}\t{row.dialect}\t{_FLAGS[row.states_tenant]}\t{row.tenant}\t{_FLAGS[row.is_sandbox]}"
        f"\t{_FLAGS[row.states_server]}\t{row.authorize_url}\t{row.token_url}\t{row.revocation_url}"
        f"\t{addressing.root(row.fhir_base_url)}"
    )


def _pair(row: PairRow) -> str:
    return _escaped(
        f"{row.provider}\t{row.provider_key}\t{row.endpoint}\t{row.endpoint_key}\t{_FLAGS[row.is_spare]}"
        f"\t{row.portal_name}\t{row.portal_url}"
    )


def _array(texts: Sequence[str]) -> str:
    """In the format of a PostgreSQL text array."""
    if not texts:
        return "{}"
    joined = '","'.join(_quoted(texts))
    return f'{{"{joined}"}}'


def _quoted(texts: Iterable[str]) -> Iterable[str]:
    return (text.replace("\\", "\\\\").replace('"', '\\"') if "\\" in text or '"' in text else text for text in texts)


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\") if "\\" in line else line
