"""Read what was stored as pages do, render pages, and count."""

import contextlib
import logging
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from django.template.loader import render_to_string
from django.utils import timezone

from apps.connections.models import Connection
from apps.records import bodies, presenting, subjects
from apps.records.models import Record
from apps.records.shelving.contexts import ContextReader
from apps.records.viewing import entries
from apps.vault import sealing
from apps.vault.sealing import Holder
from development.example_coverage.counting import Tally

_AT_ONCE = 200
_MOST_PAGES = 100  # of one type in one record: a page takes longer than all the rest


def count(connection: Connection, tally: Tally) -> None:
    """Everything that pages list of one record: each entry is presented, and some of each type get their own page."""
    version = connection.endpoint.fhir_version
    records = Record.objects.filter(connection=connection).select_related("connection__provider").order_by("pk")
    pages: Counter[str] = Counter()
    with sealing.key_ring(Holder.user(connection.user_id)) as ring, _hearing() as heard:
        surroundings = ContextReader(connection, ring, today=timezone.now().date())
        for batch in _batches(records.iterator(chunk_size=_AT_ONCE)):
            opened = [bodies.of(record, ring) for record in batch]
            context = surroundings.of(opened)
            for record, body in zip(batch, opened, strict=True):
                name = record.resource_type
                resource, entry = presenting.present(
                    body, resource_type=name, logical_id=record.logical_id, context=context
                )
                if subjects.subject_of(resource, resource_type=name) in {None, subjects.PATIENT}:
                    continue
                tally.see(version, resource, entry)
                counted = tally.counts[version, name]
                if pages[name] < _MOST_PAGES:
                    pages[name] += 1
                    counted.pages += 1
                    counted.failed += not _has_page(record)
                counted.failed += len(heard)
                heard.clear()


def _batches(records: Iterator[Record]) -> Iterator[list[Record]]:
    while batch := list(islice(records, _AT_ONCE)):
        yield batch


def _has_page(record: Record) -> bool:
    try:
        page = entries.of(record, at=timezone.now())
        context = {"record": record, "page": page, "subject": page.subject, "subjects": subjects.LISTED}
        return "<h1" in render_to_string("records/entry.html", {**context, "now": timezone.now()})
    except Exception as error:  # noqa: BLE001 - whatever it is, the next one is looked at too
        print(f"A page cannot be made: {record.resource_type}, {type(error).__name__}.")
        return False


class _Heard(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.ERROR)
        self.records = records

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextlib.contextmanager
def _hearing() -> Iterator[list[logging.LogRecord]]:
    """Warnings of the presenters, which never raise, but log when they give up."""
    logger, heard = logging.getLogger(presenting.__name__), _Heard([])
    logger.addHandler(heard)
    try:
        yield heard.records
    finally:
        logger.removeHandler(heard)
