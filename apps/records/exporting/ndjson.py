"""One source as NDJSON: one resource a line, and beside it what came when (ndjson.org; FHIR Bulk Data, section "File
Requests", media type application/fhir+ndjson).

Every value stands as it was received. A body that came on several lines loses the line breaks between its values, and
nothing else. A body that is no JSON object is wrapped in a Binary. Entries the provider marked as entered in error are
here, with that status (patient experience 3.0).
"""

import json
from collections.abc import Iterable, Iterator

from apps.records.exporting import json_text, remarking, stored
from apps.records.exporting.remarking import Count
from apps.records.exporting.stored import Row, Source


def resources(source: Source, rows: Iterable[Row], count: Count) -> Iterator[bytes]:
    """The record, a resource a line; `count` is kept meanwhile."""
    for row in rows:
        body = _line(source, row, count)
        if body is not None:
            count.entries += 1
            yield body
            yield b"\n"


def earlier(source: Source, rows: Iterable[Row], count: Count) -> Iterator[bytes]:
    """What the record said before: a line has the address of the resource, when this body came, when another took its
    place, and the body itself under `resource`."""
    for row in rows:
        body = _line(source, row, count)
        if body is None:
            continue
        head = {
            "fullUrl": source.full_url(row.resource_type, row.logical_id),
            "receivedAt": remarking.instant(row.received_at),
            "supersededAt": remarking.instant(row.until_at),
        }
        yield json.dumps(head).encode().removesuffix(b"}") + b',"resource":'
        yield body
        yield b"}\n"


def provenance(source: Source, headings: Iterable[Row]) -> Iterator[bytes]:
    """Where the record came from, and when: a Provenance for each group that came at the same moments."""
    for group in stored.together(headings):
        yield remarking.written(remarking.provenance(source, list(group))) + b"\n"


def remarks(source: Source, missing: Iterable[str], count: Count) -> Iterator[bytes]:
    """What is missing, and what was counted and odd: written last, when `count` is done."""
    yield remarking.written(remarking.missing(source, missing)) + b"\n"
    yield remarking.written(remarking.counted(source, count)) + b"\n"


def _line(source: Source, row: Row, count: Count) -> bytes | None:
    if row.body is None:
        count.oddities.append(remarking.unopened(row))
        return None
    if json_text.is_object(row.body):
        return json_text.on_one_line(row.body)
    binary = remarking.unreadable(source, row, row.body)
    count.oddities.append(remarking.wrapped(row, binary))
    return remarking.written(binary)
