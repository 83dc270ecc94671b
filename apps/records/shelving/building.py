"""Build shelves from the records: one pass over all of them, in constant memory however many there are."""

import itertools
import logging
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import NamedTuple

import msgspec
from django.db import transaction
from django.utils import timezone
from msgspec.structs import replace

from apps.connections.models import Connection
from apps.records import places, presenting, subjects
from apps.records.models import Shelf
from apps.records.presenters import related
from apps.records.presenters.entry import UNLISTED, Entry
from apps.records.presenters.medicines.medications import MedicationEntry
from apps.records.presenters.memoizing import memoizing
from apps.records.presenters.observations import results
from apps.records.shelving import (
    arranging,
    beginnings,
    document_names,
    goal_targets,
    grave_results,
    indexing,
    opening,
    point_leaves,
    shortening,
    word_leaves,
)
from apps.records.shelving.arranging import Arrangement, Key, Keyed
from apps.records.shelving.contexts import ContextReader
from apps.records.shelving.external_sorting import Spool
from apps.records.shelving.indexing import Aim, Index, Place, Row, Stretch
from apps.records.shelving.opening import SealedRecord
from apps.records.shelving.writing import Writing
from apps.records.subjects import Subject
from apps.vault.sealing import KeyRing

_LOG = logging.getLogger(__name__)

_MOST_LOGGED = 20


class Built(NamedTuple):
    """How many entries the shelves hold, and how many records do not open."""

    entries: int
    unopened: int


@dataclass
class _Shelf:
    """What is gathered for one subject while the records pass by."""

    subject: Subject
    listed: Keyed
    spools: dict[Arrangement, Spool]
    index: Index
    groups: Counter[str] = field(default_factory=Counter)
    years: Counter[str] = field(default_factory=Counter)
    tests: Counter[str] = field(default_factory=Counter)
    names: Counter[tuple[str, str]] = field(default_factory=Counter)
    plain: dict[str, str] = field(default_factory=dict)
    newest: tuple[str, str] = ("", "")
    counts: Counter[str] = field(default_factory=Counter)
    zone: str = ""
    orders: set[str] = field(default_factory=set)  # the ids of the prescriptions in its list
    of_grave: set[str] = field(default_factory=set)  # results that entries refer to, as `Type/id` (`grave_results`)
    aims: list[Aim] = field(default_factory=list)


def build(connection: Connection, wanted: Sequence[Subject], *, ring: KeyRing, at: datetime) -> Built:
    """Build the shelves of these subjects, and return what they hold.

    A body that does not open hides no other: the index of every shelf it may belong to counts it, so that its list says
    that something is missing. Raises `apps.vault.errors.VaultError` if a key is missing, as then nothing opens. A body
    that opens but cannot be parsed still gets its entry.
    """
    shelves = {subject.key: _begin(subject) for subject in wanted}
    with transaction.atomic(), memoizing():
        unopened: list[SealedRecord] = []
        for record, entry, subject, names in _presented(connection, wanted, ring, unopened, at.date()):
            if subject is not None and subject.key in shelves:
                _put(shelves[subject.key], record, entry, names)
        _count(unopened, shelves)
        for shelf in shelves.values():
            _write(connection, shelf, ring=ring, at=at)
            shelf.spools.clear()
    if unopened:
        pks = [record.pk for record in unopened[:_MOST_LOGGED]]
        _LOG.error("Records do not open: connection %s, %d of them, such as %s.", connection.pk, len(unopened), pks)
    return Built(sum(shelf.counts["listed"] for shelf in shelves.values()), len(unopened))


def _begin(subject: Subject) -> _Shelf:
    arrangements = {Arrangement.LISTED, arranging.dated_arrangement(subject), Arrangement.WORDS}
    arrangements |= {Arrangement.GONE, Arrangement.RELATED}
    if subject in {subjects.RESULTS, subjects.VITALS}:
        arrangements |= {Arrangement.TESTS}
    if subject is subjects.MEDICINES:
        arrangements |= {Arrangement.FILLS, Arrangement.DRAFTS}
    spools = {arrangement: Spool() for arrangement in arrangements}
    return _Shelf(subject, arranging.listed(subject), spools, Index(build=uuid.uuid4()))


def _presented(
    connection: Connection, wanted: Sequence[Subject], ring: KeyRing, unopened: list[SealedRecord], today: date
) -> Iterator[tuple[SealedRecord, Entry, Subject | None, tuple[str, ...]]]:
    """The records that open, with their entries and what they belong to; those that do not are appended to
    `unopened`."""
    contexts = ContextReader(connection, ring, today=today)
    for batch in opening.batches(connection, wanted, ring, unopened):
        context = contexts.of([body for _record, body in batch])
        for record, body in batch:
            resource, entry = presenting.present(
                body, resource_type=record.resource_type, logical_id=record.logical_id, context=context
            )
            subject = subjects.subject_of(resource, resource_type=record.resource_type)
            yield record, entry, subject, related.named_by(resource, context)


def _count(unopened: Iterable[SealedRecord], shelves: Mapping[str, _Shelf]) -> None:
    """Only its body would show which shelf a record belongs to; without it, each shelf for its type counts it."""
    for record in unopened:
        if record.removed_at is None:
            for subject in subjects.shelved_for(record.resource_type):
                if subject.key in shelves:
                    shelves[subject.key].counts["unopened"] += 1


def _put(shelf: _Shelf, record: SealedRecord, entry: Entry, names: Iterable[str]) -> None:
    shelf.of_grave.update(grave_results.named_by(entry))  # also by a report that is gone: its results may still be here
    if entry.is_withdrawn:
        shelf.counts["withdrawn"] += 1
        return
    told = replace(entry, narrative="") if entry.narrative else entry
    written = shortening.shortened(indexing.write_row(record.pk, told))
    if record.removed_at is not None:
        shelf.counts["gone"] += 1
        shelf.spools[Arrangement.GONE].add(arranging.dated(entry, record.pk), written)
        return
    shelf.aims += goal_targets.of(record.pk, entry)
    if entry.group != UNLISTED:  # drafts are in no list, and a hit would not say that it is not final
        for name in names:
            place = indexing.write_place(record.pk, entry, _place(shelf, record.pk, entry))
            shelf.spools[Arrangement.RELATED].add(arranging.under(entry, name, record.pk), place)
        shelf.spools[Arrangement.WORDS].add(arranging.dated(entry, record.pk), word_leaves.written(entry))
    if not _put_apart(shelf, record.pk, entry, written):
        _list(shelf, record.pk, entry, written)


def _place(shelf: _Shelf, pk: int, entry: Entry) -> Place:
    """Where an entry stands. Only when all prescriptions are known does it show under which of them a fill stands."""
    orders = entry.orders if isinstance(entry, MedicationEntry) else ()
    return Place(*shelf.listed(entry, pk), tuple(arranging.under(entry, order, pk) for order in orders))


def _put_apart(shelf: _Shelf, pk: int, entry: Entry, written: bytes) -> bool:
    """Whether to keep it off the list: a draft or, until all prescriptions are known, what was dispensed for one."""
    if entry.group == UNLISTED:
        shelf.counts["drafts"] += 1
        shelf.spools[Arrangement.DRAFTS].add(arranging.dated(entry, pk), written)
        return True
    if not isinstance(entry, MedicationEntry):
        return False
    if entry.is_order:
        shelf.orders.add(entry.logical_id)
    for order in entry.orders:
        shelf.spools[Arrangement.FILLS].add(arranging.under(entry, order, pk), written)
    return bool(entry.orders)


def _list(shelf: _Shelf, pk: int, entry: Entry, written: bytes) -> None:
    shelf.counts["listed"] += 1
    shelf.counts["withheld"] += entry.is_withheld
    shelf.groups[entry.group] += 1
    shelf.years[arranging.year(entry)] += 1
    shelf.names.update(document_names.of(entry))
    document_names.learn_plain(shelf.plain, entry)
    if not shelf.zone and arranging.hangs_on_zone(entry):
        shelf.zone = str(timezone.get_current_timezone())
    shelf.newest = max(shelf.newest, (entry.when.sorts_at, entry.when.starts or entry.when.ends))
    shelf.spools[Arrangement.LISTED].add(shelf.listed(entry, pk), written)
    if Arrangement.DATED in shelf.spools:
        shelf.spools[Arrangement.DATED].add(arranging.dated(entry, pk), written)
    if Arrangement.TESTS in shelf.spools and entry.resource_type == "Observation":
        key = arranging.by_test(entry, pk)
        shelf.tests[key[1]] += 1
        shelf.spools[Arrangement.TESTS].add(key, written)


def _settle_fills(shelf: _Shelf) -> None:
    """Fills of a prescription that is here stand under it; the others are listed by themselves."""
    if Arrangement.FILLS not in shelf.spools:
        return
    fills, kept = shelf.spools[Arrangement.FILLS], Spool()
    under = {key[3] for key, _written in fills.merged() if key[1] in shelf.orders}
    listed: set[int] = set()
    for key, written in fills.merged():
        pk = key[3]
        if key[1] in shelf.orders:
            kept.add(key, written)
        elif pk not in under and pk not in listed:
            listed.add(pk)
            _list(shelf, pk, msgspec.json.decode(written, type=Row).opened(), written)
    shelf.spools[Arrangement.FILLS] = kept
    shelf.counts["fills"] = len(under)


def _write(connection: Connection, shelf: _Shelf, *, ring: KeyRing, at: datetime) -> None:
    """Write the new leaves and the index that refers to them, and delete the old leaves."""
    _settle_fills(shelf)
    row, _is_new = Shelf.objects.get_or_create(
        user_id=connection.user_id,
        connection=connection,
        subject=shelf.subject.key,
        defaults={"sealed_index": b"", "built_at": at},
    )
    index = Index(
        build=shelf.index.build,
        count=shelf.counts["listed"],
        groups=dict(shelf.groups),
        years=dict(shelf.years),
        names=document_names.most_frequent(shelf.names),
        plain=document_names.of_most_frequent(shelf.plain, shelf.names),
        withdrawn=shelf.counts["withdrawn"],
        gone=shelf.counts["gone"],
        withheld=shelf.counts["withheld"],
        unopened=shelf.counts["unopened"],
        drafts=shelf.counts["drafts"],
        fills=shelf.counts["fills"],
        newest=shelf.newest[1],
        zone=shelf.zone,
        of_grave=grave_results.listed(connection, shelf.of_grave, ring),
        aims=tuple(shelf.aims[: goal_targets.MOST]),
        arrangements=indexing.closed(_stretches(Writing(row, shelf.index.build, ring), shelf)),
    )
    place = places.shelf_place(connection_id=connection.id, subject=shelf.subject.key)
    row.sealed_index = ring.seal_body(msgspec.json.encode(index), place=place)
    row.built_at, row.form, row.tried_at = at, indexing.FORM, None
    row.save(update_fields=["sealed_index", "built_at", "form", "tried_at"])
    row.leaves.exclude(build=shelf.index.build).delete()


def _stretches(writing: Writing, shelf: _Shelf) -> dict[str, Stretch]:
    """Write the new leaves, and return what the index says of each arrangement."""
    stretches = {
        arrangement.value: writing.write(arrangement, spool.merged())
        for arrangement, spool in shelf.spools.items()
        if arrangement not in {Arrangement.WORDS, Arrangement.TESTS}
    }
    stretches |= writing.write_words(shelf.spools[Arrangement.WORDS].merged())
    if Arrangement.TESTS in shelf.spools:
        points = point_leaves.leaves(shelf.spools[Arrangement.TESTS].merged())
        stretches[Arrangement.POINTS.value] = writing.write_points(points)
    if shelf.tests:
        tests = shelf.spools[Arrangement.TESTS].merged()
        stretches[Arrangement.LATEST.value] = writing.write(Arrangement.LATEST, _latest(tests, shelf.tests))
    if beginning := beginnings.OF.get(shelf.subject.key):
        heads = beginnings.cut(beginning, shelf.spools[beginning.arrangement].merged())
        stretches[Arrangement.HEADS.value] = writing.write(Arrangement.HEADS, heads)
    return stretches


def _latest(tests: Iterator[tuple[Key, bytes]], counted: Counter[str]) -> Iterator[tuple[Key, bytes]]:
    """The newest row of each test, sorted by its name; the newest with a result, if there is one."""
    spool = Spool()
    for test, rows in itertools.groupby(tests, key=lambda keyed: keyed[0][1]):
        (_rank, _test, newest, pk), row, entry = _telling(rows)
        latest = Row(row.record, row.kind, row.entry, counted[test])
        spool.add(arranging.latest(entry, newest, pk), msgspec.json.encode(latest))
    return spool.merged()


def _telling(rows: Iterator[tuple[Key, bytes]]) -> tuple[Key, Row, Entry]:
    """The first of these rows of one test; but if it has no result, being only ordered or canceled, the first one that
    has."""
    opened = ((key, msgspec.json.decode(written, type=Row)) for key, written in rows)
    read = ((key, row, row.opened()) for key, row in opened)
    first = next(read)
    found = itertools.chain((first,), read)
    return next((one for one in found if one[2].group not in results.WITHOUT_RESULT), first)
