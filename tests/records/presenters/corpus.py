"""Example data written by others (FHIR_EXAMPLES), read one resource at a time. It is never copied into the project."""

import gzip
import json
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from apps.records.presenters.entry import Context, Entry, Present
from config import env


@cache
def resources() -> tuple[dict[str, Any], ...]:
    """Every resource of every well-formed file, those in bundles included."""
    folder = env.fhir_examples()
    if folder is None or not folder.is_dir():
        pytest.skip("FHIR_EXAMPLES names no folder of example data")
    files = sorted(path for path in folder.rglob("*") if path.name.removesuffix(".gz").endswith((".json", ".ndjson")))
    return tuple(resource for path in files for document in _documents(path) for resource in _within(document))


def of_type(*resource_types: str) -> list[dict[str, Any]]:
    """Those of these types."""
    return [resource for resource in resources() if resource.get("resourceType") in resource_types]


def context_of_all() -> Context:
    """With every resource of the data to refer to."""
    others = {f"{each.get('resourceType')}/{each.get('id')}": each for each in resources()}
    return Context(others=others | {f"urn:uuid:{each.get('id')}": each for each in resources()})


def presented(present: Present, *resource_types: str) -> list[tuple[dict[str, Any], Entry]]:
    """Each resource of these types beside its entry; those withdrawn or withheld, which say nothing, left out."""
    context = context_of_all()
    pairs = [(resource, present(resource, context)) for resource in of_type(*resource_types)]
    assert pairs
    return [(resource, entry) for resource, entry in pairs if not entry.is_withdrawn and not entry.is_withheld]


def titled(pairs: list[tuple[dict[str, Any], Entry]]) -> float:
    """The share of entries that say what they are: by a title, or as "none known", which pages word themselves."""
    return share(sum(bool(entry.title) or _says_none(entry) for _, entry in pairs), len(pairs))


def dated(pairs: list[tuple[dict[str, Any], Entry]], *names: str) -> float:
    """The share of entries with a date among those whose resource has any of these elements."""
    entries = [entry for resource, entry in pairs if any(resource.get(name) for name in names)]
    assert entries
    return share(sum(bool(entry.when) for entry in entries), len(entries))


def share(count: int, of: int) -> float:
    """How many of them, as a share of one."""
    return count / of if of else 1.0


def _says_none(entry: Entry) -> bool:
    return entry.is_known_absence or entry.says_no_information


def _documents(path: Path) -> Iterator[Any]:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = raw.decode("utf-8-sig").splitlines() if ".ndjson" in path.name else [raw.decode("utf-8-sig", "replace")]
    for line in filter(str.strip, lines):
        try:
            yield json.loads(line, parse_float=Decimal)
        except ValueError:
            continue  # malformed on purpose


def _within(document: Any) -> Iterator[dict[str, Any]]:
    if isinstance(document, list):
        for part in document:
            yield from _within(part)
    elif isinstance(document, dict) and document.get("resourceType") == "Bundle":
        for entry in document.get("entry") or ():
            yield from _within(entry.get("resource") if isinstance(entry, dict) else None)
    elif isinstance(document, dict) and "resourceType" in document:
        yield document
