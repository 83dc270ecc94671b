"""What is stored for one connection, opened row by row, explicitly and for one thread.

Rows come in the order in which they were first stored, a few at a time, so that memory use does not grow with the
record. If a record is deleted meanwhile, its rows simply end: callers must check with `ensure_held`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby, islice
from urllib.parse import quote
from uuid import UUID

from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Length

from apps.connections.models import Connection
from apps.records import bodies
from apps.records.models import Record, RecordVersion
from apps.records.syncing import version_changes
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing
from apps.wire.dialects import FhirVersion

MOST_TOGETHER = 200  # rows of a group that are held until its Provenance is written
_ROWS_AT_ONCE = 50
_SEALED_AT_ONCE = 2_000_000  # bytes, unless one body alone is longer: opened, they may be many times as long
_LOOKED_AT_ONCE = 500


class DeletedMeanwhile(Exception):
    """The record, or its connection, was deleted while it was read: what was made of it is incomplete."""


@dataclass(frozen=True)
class Snapshot:
    """How many records there were at one moment, and the id of the newest."""

    count: int = 0
    newest: int = 0


@dataclass(frozen=True, repr=False)
class Source:
    """One connection as exports identify it: `number` counts the person's connections, oldest first, and never changes.
    `held` is what there was to read when this was made."""

    number: int
    connection_id: UUID
    user_id: UUID
    provider: str
    base_url: str
    version: FhirVersion
    patient_id: str
    checked_at: datetime | None
    held: Snapshot = Snapshot()

    @property
    def folder(self) -> str:
        """The name of its files: it says nothing about the provider, whose name can reveal something about health."""
        return f"source-{self.number}"

    def full_url(self, resource_type: str, logical_id: str) -> str:
        """The resource's address at its provider (R4 section 3.1.1.1.4, Bundle.entry.fullUrl; DSTU2 5.3.5)."""
        return f"{self.base_url.rstrip('/')}/{resource_type}/{quote(logical_id, safe='')}"


@dataclass(frozen=True, repr=False)
class Row:
    """One record, or an earlier version of it. `body` is as received, or None if it does not open.

    `received_at` is when this body came. `until_at` is when the provider last sent the same body or, for an earlier
    version, when it was superseded. `removed_at` is when we noticed that the provider no longer has it. `record` is its
    id, 0 if nobody needs that.
    """

    resource_type: str
    logical_id: str
    body: bytes | None
    received_at: datetime
    until_at: datetime
    removed_at: datetime | None = None
    record: int = 0

    @property
    def reference(self) -> str:
        """`Type/id`."""
        return f"{self.resource_type}/{self.logical_id}"


def sources(numbered: Mapping[int, Connection]) -> dict[UUID, Source]:
    """These connections, with their numbers, provider and endpoint, as sources. Two queries, as long as none of their
    servers changed its FHIR version."""
    connections = list(numbered.values())
    held, versions = _held(connections), version_changes.versions_of(connections)
    return {
        connection.pk: Source(
            number=number,
            connection_id=connection.pk,
            user_id=connection.user_id,
            provider=connection.provider.name,
            base_url=connection.endpoint.fhir_base_url,
            version=versions[connection.pk],
            patient_id=connection.fhir_patient_id,
            checked_at=connection.last_checked_at,
            held=held.get(connection.pk, Snapshot()),
        )
        for number, connection in numbered.items()
    }


def _held(connections: Collection[Connection]) -> dict[UUID, Snapshot]:
    records = Record.objects.filter(user_id__in={one.user_id for one in connections}, connection__in=connections)
    counted = records.values_list("connection_id").annotate(Count("pk"), Max("pk"))
    return {pk: Snapshot(count, newest) for pk, count, newest in counted}


def ensure_held(source: Source) -> None:
    """Raise DeletedMeanwhile if the connection, or any record that was there at first, is gone. Records that came since
    are fine."""
    records = Record.objects.filter(user_id=source.user_id, connection_id=source.connection_id)
    is_here = Connection.objects.filter(pk=source.connection_id, user_id=source.user_id).exists()
    if not is_here or records.filter(pk__lte=source.held.newest).count() < source.held.count:
        raise DeletedMeanwhile


def ensure_opens(source: Source) -> None:
    """Raise `apps.vault.errors.VaultError` if nothing of this person can be opened: once a response has begun, it can
    only break off."""
    with sealing.key_ring(Holder.user(source.user_id)) as ring:
        next(batches(source, ring), None)


def rows(source: Source) -> Iterator[Row]:
    """Every record of the source.

    One that does not open is logged and comes without a body, so that it hides no other. Raises
    `apps.vault.errors.VaultError` if nothing of this person can be opened, and DeletedMeanwhile after the last row.
    """
    with sealing.key_ring(Holder.user(source.user_id)) as ring:
        for batch in batches(source, ring):
            yield from batch
    ensure_held(source)


def batches(source: Source, ring: KeyRing, *, types: Sequence[str] = ()) -> Iterator[list[Row]]:
    """The same rows, or those of some types, a few at a time, opened with this key ring of the source's user."""
    records = Record.objects.filter(user_id=source.user_id, connection_id=source.connection_id).order_by("pk")
    if types:
        records = records.filter(resource_type__in=types)
    for few in _few_at_once(records):
        yield [_row(source, record, ring) for record in records.filter(pk__in=few)]


def chosen(source: Source, ring: KeyRing, wanted: Iterable[int]) -> Iterator[list[Row]]:
    """The records of the source with these ids, a few at a time. Those that are gone are left out."""
    records = Record.objects.filter(user_id=source.user_id, connection_id=source.connection_id).order_by("pk")
    ids = sorted(wanted)
    for start in range(0, len(ids), _LOOKED_AT_ONCE):
        for few in _few_at_once(records.filter(pk__in=ids[start : start + _LOOKED_AT_ONCE])):
            yield [_row(source, record, ring) for record in records.filter(pk__in=few)]


def _few_at_once(rows: QuerySet[Record] | QuerySet[RecordVersion]) -> Iterator[list[int]]:
    """The ids of the rows in their order, grouped by what is read at once: fewer if bodies are long."""
    few, sealed, last_pk = list[int](), 0, 0
    lengths = rows.annotate(octets=Length("sealed_body")).values_list("pk", "octets")
    while looked_at := list(lengths.filter(pk__gt=last_pk)[:_LOOKED_AT_ONCE]):
        for pk, octets in looked_at:
            if few and (len(few) == _ROWS_AT_ONCE or sealed + octets > _SEALED_AT_ONCE):
                yield few
                few, sealed = [], 0
            few.append(pk)
            sealed += octets
        last_pk = looked_at[-1][0]
    if few:
        yield few


def _row(source: Source, record: Record, ring: KeyRing) -> Row:
    body = _opened(source, record.resource_type, record.logical_id, bytes(record.sealed_body), ring)
    times = (record.received_at, record.confirmed_at, record.removed_at)
    return Row(record.resource_type, record.logical_id, body, *times, record=record.pk)


def headings(source: Source) -> Iterator[Row]:
    """The same rows in the same order without their bodies: what came when."""
    records = Record.objects.filter(user_id=source.user_id, connection_id=source.connection_id).order_by("pk")
    names = ("pk", "resource_type", "logical_id", "received_at", "confirmed_at", "removed_at")
    last_pk = 0
    while batch := list(records.filter(pk__gt=last_pk).values_list(*names)[:_LOOKED_AT_ONCE]):
        for _pk, resource_type, logical_id, *times in batch:
            yield Row(resource_type, logical_id, None, *times)
        last_pk = batch[-1][0]


def earlier(source: Source) -> Iterator[Row]:
    """The earlier versions of the records, oldest first. Opens and raises as `rows` does."""
    versions = RecordVersion.objects.filter(
        user_id=source.user_id, record__user_id=source.user_id, record__connection_id=source.connection_id
    ).select_related("record")
    versions = versions.defer("record__sealed_body").order_by("pk")
    with sealing.key_ring(Holder.user(source.user_id)) as ring:
        for few in _few_at_once(versions):
            for version in versions.filter(pk__in=few):
                record = version.record
                body = _opened(source, record.resource_type, record.logical_id, bytes(version.sealed_body), ring)
                yield Row(record.resource_type, record.logical_id, body, version.received_at, version.superseded_at)


def together(rows: Iterable[Row]) -> Iterator[Iterator[Row]]:
    """The rows in groups that came at the same moments, at most MOST_TOGETHER each. Read each group to its end before
    the next: only one row is in memory at a time."""
    for _moments, alike in groupby(rows, key=lambda row: (row.received_at, row.until_at, row.removed_at)):
        yield from _split(alike)


def _split(alike: Iterator[Row]) -> Iterator[Iterator[Row]]:
    for first in alike:
        yield chain((first,), islice(alike, MOST_TOGETHER - 1))


def _opened(source: Source, resource_type: str, logical_id: str, sealed: bytes, ring: KeyRing) -> bytes | None:
    named = {"resource_type": resource_type, "logical_id": logical_id}
    return bodies.find(sealed, ring, connection_id=source.connection_id, **named)
