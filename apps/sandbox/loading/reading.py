"""Read resources from files: JSON, NDJSON, arrays, Bundles of any type, with or without gzip and a byte-order mark.

Numbers keep their digits (Decimal). What cannot be read raises `Unreadable`, with words for the person who gave the
file; one bad line of an NDJSON file does not affect the others.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

Body = dict[str, Any]
_decoder = msgspec.json.Decoder(float_hook=Decimal)
_SUFFIXES = (".json", ".ndjson", ".jsonl", ".json.gz", ".ndjson.gz", ".jsonl.gz")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Unreadable(Exception):
    """A file or line without FHIR JSON; the text says why."""


@dataclass(frozen=True)
class Entry:
    """A resource from a file, and the URL its Bundle gave it ("" without one)."""

    full_url: str
    body: Body


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """The given files, and those in the given folders that have a FHIR file's name, in order of their names."""
    for path in paths:
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*") if one.is_file() and one.name.endswith(_SUFFIXES))
        else:
            yield path


def entries(path: Path) -> Iterator[Entry | Unreadable]:
    """The resources of a file, Bundles unpacked; in place of what could not be read, the reason."""
    try:
        content = _content(path)
    except (OSError, EOFError, zlib.error) as problem:
        yield Unreadable(f"cannot be opened: {problem}")
        return
    try:
        yield from _unpacked(_decoder.decode(content))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        if b"\n{" not in content.strip():
            yield Unreadable(f"is not JSON: {problem}")
            return
        yield from _lines(content)


def _content(path: Path) -> bytes:
    raw = path.read_bytes()
    content = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
    return content.removeprefix(_BYTE_ORDER_MARK)


def _lines(content: bytes) -> Iterator[Entry | Unreadable]:
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield from _unpacked(_decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            yield Unreadable(f"line {number} is not JSON: {problem}")


def _unpacked(value: Any) -> Iterator[Entry | Unreadable]:
    if isinstance(value, list):
        for member in value:
            yield from _unpacked(member)
    elif not isinstance(value, dict) or not isinstance(value.get("resourceType"), str):
        yield Unreadable("is JSON, but not a FHIR resource")
    elif value["resourceType"] == "Bundle":
        yield from _members(value)
    else:
        yield Entry("", value)


def _members(bundle: Body) -> Iterator[Entry | Unreadable]:
    members = bundle.get("entry")
    for member in members if isinstance(members, list) else []:
        body = member.get("resource") if isinstance(member, dict) else None
        if not isinstance(body, dict) or not isinstance(body.get("resourceType"), str):
            continue
        if body["resourceType"] == "Bundle":
            yield from _members(body)
        else:
            yield Entry(str(member.get("fullUrl") or ""), body)
