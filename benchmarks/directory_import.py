"""Measures importing a list of providers against reading the same file and copying its rows into one bare table."""

import json
import tempfile
from pathlib import Path

from django.core.management import call_command
from django.db import connection, transaction

from benchmarks import invented_directory
from benchmarks.figure import ratio

_PROVIDERS = 300  # the ratio is the same for fifty thousand, and those take half an hour


def main() -> None:
    """One line of JSON: the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "list.json")
        invented_directory.write(path, _PROVIDERS)
        _import(path)
        again = ratio(lambda: _import(path), lambda: _parse_and_copy(path), tries=3)
    print(json.dumps({"to_parsing_and_copy": again}))


def _import(path: Path) -> None:
    with path.with_suffix(".said").open("w", encoding="utf-8") as said:
        call_command("import_endpoints", path, stdout=said)


def _parse_and_copy(path: Path) -> None:
    providers = json.loads(path.read_text(encoding="utf-8"))["providers"]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE bare (id text, name text, city text, endpoint json) ON COMMIT DROP")
        with cursor.copy("COPY bare FROM STDIN") as copy:
            for row in providers:
                copy.write_row((row["id"], row["name"], row["city"], json.dumps(row["endpoints"][0])))
