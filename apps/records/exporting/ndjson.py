"""One source as NDJSON: one resource a line, with separate files for what came when (ndjson.org; FHIR Bulk Data,
section "File Requests", media type application/fhir+ndjson).

Every value is as it was received. A body of several lines loses the line breaks between its values, and nothing else. A
body that is not a JSON object is wrapped in a Binary. Entries that the provider marked as entered in error are
included, with that status (patient experience 3.0).
"""

import json
from collections.abc import Iterable, Iterator

from apps.records.exporting import added_resources, json_text, stored
from apps.records.exporting.added_resources import Count
from apps.records.exporting.stored import Row, Source


def resources(source: Source, rows: Iterable[Row], count: Count) -> Iterator[bytes]:
    """The record, one resource a line; `count` is updated meanwhile."""
    for row in rows:
        body = _line(source, row, count)
        if body is not None:
            count.entries += 1
            yield body
            yield b"\n"


def earlier(source: Source, rows: Iterable[Row], count: Count) -> Iterator[bytes]:
    """Earlier versions of the record: each line has the reference to the resource, when this body was received, when it
    was superseded, and the body itself under `resource`."""
    for row in rows:
        body = _line(source, row, count)
        if body is None:
            continue
        head = {
            "fullUrl": source.full_url(row.resource_type, row.logical_id),
            "receivedAt": added_resources.instant(row.received_at),
            "supersededAt": added_resources.instant(row.until_at),
        }
        yield json.dumps(head).encode().removesuffix(b"}") + b',"resource":'
        yield body
        yield b"}\n"


def provenance(source: Source, headings: Iterable[Row]) -> Iterator[bytes]:
    """When and from where the record came: a Provenance for each group that came at the same moments."""
    for group in stored.together(headings):
        yield added_resources.written(added_resources.provenance(source, list(group))) + b"\n"


def remarks(source: Source, missing: Iterable[str], count: Count) -> Iterator[bytes]:
    """What is missing, the number of entries, and what is odd about some: written last, when `count` is complete."""
    yield added_resources.written(added_resources.missing(source, missing)) + b"\n"
    yield added_resources.written(added_resources.counted(source, count)) + b"\n"


def _line(source: Source, row: Row, count: Count) -> bytes | None:
    if row.body is None:
        count.oddities.append(added_resources.unopened(row))
        return None
    if json_text.is_object(row.body):
        return json_text.on_one_line(row.body)
    binary = added_resources.unreadable(source, row, row.body)
    count.oddities.append(added_resources.wrapped(row, binary))
    return added_resources.written(binary)
