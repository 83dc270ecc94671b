"""Measures importing fifty thousand providers, each with an endpoint, into an empty directory and then again.

Against reading the same file with our own reader, plus copying its rows into one bare table; and against the least
that anybody would do: `json.loads` and the same copying. Times are those of the clock: beside other work on the same
processors, the two that an import keeps busy at once share one.

Memory is that of a process of its own (`benchmarks.directory_import_memory`): this one was made large by its
migrations, and room that Python keeps for itself hides whatever is held in it later.
"""

import io
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from django.core.management import call_command
from django.db import connection, transaction

from apps.directory import reaching
from apps.directory.list_formats.guarding import Guard
from apps.directory.list_formats.lists import ListFile
from apps.directory.list_formats.rows import EndpointRow, ProviderRow
from apps.directory.list_formats.terms import Terms
from benchmarks import invented_directory
from benchmarks.figure import say
from benchmarks.measuring import told_by
from development import servers

_PROVIDERS = 50_000
_FEW = 5_000
_TRIES = 3
_EMPTY = """
TRUNCATE directory_provider, directory_endpoint, directory_authorizationserver, directory_searchword,
    directory_wordneighbours CASCADE
"""
_BARE = """
CREATE TEMPORARY TABLE bare (
    id text, name text, city text, state text, website text, words text, fhir_base_url text, authorize_url text,
    token_url text
) ON COMMIT DROP
"""


def main() -> None:
    """One line of JSON: ratios, and by how many MB a process grows that imports few, and as many more."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "list.json")
        few, many = (_grown_mb(path, number) for number in (_FEW, _PROVIDERS))
        invented_directory.write(path, _PROVIDERS)
        print(json.dumps({**_ratios(path), "grown_by_few_mb": few, "grown_by_many_mb": many}))


def _ratios(path: Path) -> dict[str, float]:
    """Each thing in its turn, so that what the machine does beside us slows all of them; medians of the tries."""
    tries = []
    for number in range(_TRIES):
        say(f"import, try {number + 1} of {_TRIES}")
        with connection.cursor() as cursor:
            cursor.execute(_EMPTY)
        tries.append([_seconds(work, path) for work in (_import, _import, _read_and_copy, _load_and_copy)])
    return {
        "to_reading_and_copy": median(first / ours for first, _again, ours, _bare in tries),
        "to_bare_json_and_copy": median(first / bare for first, _again, _ours, bare in tries),
        "again_to_reading_and_copy": median(again / ours for _first, again, ours, _bare in tries),
        "seconds": median(first for first, _again, _ours, _bare in tries),
    }


def _grown_mb(path: Path, number: int) -> float:
    """The process imports ten of the list first: what any import needs is not counted."""
    with connection.cursor() as cursor:
        cursor.execute(_EMPTY)
    ten = path.with_name("ten.json")
    invented_directory.write(ten, 10)
    invented_directory.write(path, number)
    found = told_by(
        "benchmarks.directory_import_memory",
        str(ten),
        str(path),
        DJANGO_SETTINGS_MODULE="config.settings.test",
        DATABASE_URL=servers.tests().database_url("holdfast"),
        REDIS_URL=servers.tests().redis_url,
    )
    return found["grown_mb"]


def _seconds(work: Callable[[Path], None], path: Path) -> float:
    began = time.perf_counter()
    work(path)
    return time.perf_counter() - began


def _import(path: Path) -> None:
    call_command("import_endpoints", path, stdout=io.StringIO(), stderr=io.StringIO())


def _read_and_copy(path: Path) -> None:
    """Our own reader, which checks every row, and one COPY."""
    with path.open("rb") as file:
        rows = ListFile(file, Terms(Guard(reaching.address_policy()))).rows()
        _copy(_read(rows))


def _read(rows: Iterator[Any]) -> Iterator[tuple[str, ...]]:
    provider = None
    for row in rows:
        if isinstance(row, ProviderRow):
            provider = row
        elif isinstance(row, EndpointRow) and provider is not None:
            place = (provider.directory_id, provider.name, provider.city, provider.state, provider.website)
            yield (*place, " ".join(provider.words), row.fhir_base_url, row.authorize_url, row.token_url)


def _load_and_copy(path: Path) -> None:
    """Believing the file, and one COPY."""
    providers = json.loads(path.read_bytes())["providers"]
    _copy(
        (
            *(row[name] for name in ("id", "name", "city", "state", "website", "name")),
            row["endpoints"][0]["fhir_base_url"],
            *(row["endpoints"][0]["authorization_server"][name] for name in ("authorize_url", "token_url")),
        )
        for row in providers
    )


def _copy(rows: Iterator[tuple[str, ...]]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_BARE)
        with cursor.copy("COPY bare FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
