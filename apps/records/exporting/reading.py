"""The record as people read it: each resource with its subject and the entry that its presenter makes of it.

The records themselves are read: all of some types, or those that shelves pick. A shelf may be older than its records:
what is read here is as they are now.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from apps.connections.models import Connection
from apps.records import presenting, subjects
from apps.records.exporting import stored
from apps.records.exporting.stored import Row, Source
from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Entry
from apps.records.shelving.contexts import ContextReader
from apps.records.subjects import Subject
from apps.vault import sealing
from apps.vault.errors import CannotOpen
from apps.vault.sealing import Holder, KeyRing


@dataclass(frozen=True, repr=False)
class PresentedRecord:
    """One resource: its source, as received and parsed, and as presented. `subject` is None if no list shows it.
    `is_gone`: the provider no longer has it. `record` is its id. `is_shared`: it is for others, and what it refers to
    is not even counted."""

    source: Source
    resource: Element
    entry: Entry
    subject: Subject | None
    context: Context
    record: int
    is_gone: bool = False
    is_shared: bool = False


def told(
    connection: Connection, source: Source, *, unopened: set[str], today: date, types: Sequence[str] = ()
) -> Iterator[PresentedRecord]:
    """Every resource of these types that opens, as presented on that day; memory use does not grow with the record. The
    types of those that do not open, and are still at the provider, are added to `unopened`.

    Raises `apps.vault.errors.VaultError` if nothing of this person can be opened.
    """
    with sealing.key_ring(Holder.user(source.user_id)) as ring:
        contexts = ContextReader(connection, ring, today=today)
        for batch in stored.batches(source, ring, types=types):
            opened = [(row, row.body) for row in batch if row.body is not None]
            unopened.update(row.resource_type for row in batch if row.body is None and row.removed_at is None)
            context = _context(source, contexts, [body for _row, body in opened])
            for row, body in opened:
                yield _presented(source, row, body, context)


def of_records(
    connection: Connection, source: Source, wanted: Iterable[int], ring: KeyRing, *, today: date
) -> Iterator[PresentedRecord]:
    """The resources of the records with these ids. Those that do not open are left out. Raises as `told` does."""
    for row, body, context in _opened(connection, source, wanted, ring, today=today):
        yield _presented(source, row, body, context)


def resources(
    connection: Connection, source: Source, wanted: Iterable[int], ring: KeyRing, *, today: date
) -> Iterator[tuple[int, Element, Context]]:
    """The same as received and parsed, each with its record's id, for callers that need no entries: making those takes
    longest."""
    for row, body, context in _opened(connection, source, wanted, ring, today=today):
        yield row.record, elements.parse(body), context


def _opened(
    connection: Connection, source: Source, wanted: Iterable[int], ring: KeyRing, *, today: date
) -> Iterator[tuple[Row, bytes, Context]]:
    contexts = ContextReader(connection, ring, today=today)
    for batch in stored.chosen(source, ring, wanted):
        opened = [(row, row.body) for row in batch if row.body is not None]
        context = _context(source, contexts, [body for _row, body in opened])
        for row, body in opened:
            yield row, body, context


def _context(source: Source, contexts: ContextReader, bodies: list[bytes]) -> Context:
    try:
        return contexts.of(bodies)
    except CannotOpen:  # without the resources they refer to: the references may still carry names
        return Context(root=source.base_url, patient=source.patient_id)


def _presented(source: Source, row: Row, body: bytes, context: Context) -> PresentedRecord:
    resource, entry = presenting.present(
        body, resource_type=row.resource_type, logical_id=row.logical_id, context=context
    )
    subject = subjects.subject_of(resource, resource_type=row.resource_type)
    return PresentedRecord(source, resource, entry, subject, context, row.record, is_gone=row.removed_at is not None)
