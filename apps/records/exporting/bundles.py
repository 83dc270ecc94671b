"""One FHIR Bundle of one source: type collection, in the version of the source (R4 section 2.36, DSTU2 section 5.3).

Entries, in this order: an OperationOutcome that names what is missing; the record, each resource byte for byte as it
was received, with its address at the provider as fullUrl; after each group that came at the same moments, a Provenance
that says when and from where; and at the end an OperationOutcome that counts the entries. References inside the record
are relative to the provider's base URL, which the fullUrls repeat, so they resolve as they stand. Entries the provider
marked as entered in error are here, with that status (patient experience 3.0).
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from apps.records.exporting import added_resources, json_text, stored
from apps.records.exporting.added_resources import Count
from apps.records.exporting.stored import Row, Source
from apps.wire.dialects import FhirVersion


def bundle(source: Source, rows: Iterable[Row], *, missing: Iterable[str], at: datetime) -> Iterator[bytes]:
    """The document, piece by piece. `at` is when it is made; `missing` are sentences about what the record lacks."""
    count = Count()
    yield _head(source, at)
    yield _ours(added_resources.missing(source, missing)).removeprefix(b",")
    for group in stored.together(rows):
        yield from _entries(source, group, count)
    yield _ours(added_resources.counted(source, count))
    yield b"\n]}\n"


def _head(source: Source, at: datetime) -> bytes:
    made_at = added_resources.instant(at)
    identity = added_resources.identity("Bundle", source.connection_id, made_at)
    head = {"resourceType": "Bundle", "id": identity, "meta": {"lastUpdated": made_at}, "type": "collection"}
    if source.version is not FhirVersion.DSTU2:  # DSTU2 has neither
        head |= {"identifier": {"system": "urn:ietf:rfc:3986", "value": f"urn:uuid:{identity}"}, "timestamp": made_at}
    return added_resources.written(head).removesuffix(b"}") + b',"entry":['


def _entries(source: Source, group: Iterable[Row], count: Count) -> Iterator[bytes]:
    """The rows of one group, and the Provenance of those that are written."""
    written: list[Row] = []
    for row in group:
        if row.body is None:
            count.oddities.append(added_resources.unopened(row))
            continue
        if json_text.is_object(row.body):
            yield from _theirs(source, row, row.body)
        else:
            binary = added_resources.unreadable(source, row, row.body)
            yield _ours(binary)
            count.oddities.append(added_resources.wrapped(row, binary))
        written.append(replace(row, body=None))
    count.entries += len(written)
    if written:
        yield _ours(added_resources.provenance(source, written))


def _theirs(source: Source, row: Row, body: bytes) -> Iterator[bytes]:
    full_url = json.dumps(source.full_url(row.resource_type, row.logical_id)).encode()
    yield b',\n{"fullUrl":' + full_url + b',"resource":'
    yield body
    yield b"}"


def _ours(resource: added_resources.Resource) -> bytes:
    return b',\n{"fullUrl":"urn:uuid:%b","resource":%b}' % (resource["id"].encode(), added_resources.written(resource))
