"""Read the values of one test over time, from the shelves of all connections that have some."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from apps.records.charts import comparing, points
from apps.records.charts.comparing import Reader
from apps.records.charts.points import Alike
from apps.records.charts.series import SeriesValue
from apps.records.presenters.observations.results import Compared
from apps.records.senders import Sender
from apps.records.shelving import fetching_leaves, point_leaves, reading
from apps.records.shelving.arranging import Arrangement
from apps.records.shelving.indexing import Index
from apps.records.shelving.open_shelf import OpenShelf, understood
from apps.records.shelving.point_leaves import LeafPoint
from apps.vault.sealing import KeyRing

_FEW: Final = 2  # values from one sender: enough to know that there is more than one


class OfTest(NamedTuple):
    """Values of one test, newest first; how many were not opened; and whether there are more than were asked for."""

    values: tuple[SeriesValue, ...]
    closed: int
    has_older: bool


def of(
    found: Sequence[OpenShelf],
    test: str,
    ring: KeyRing,
    *,
    most: int,
    senders: Mapping[UUID, Sender],
    is_open: Callable[[int], bool],
) -> OfTest:
    """The newest values of one test, at most `most`, each with the sender of its connection. Values that belong to what
    may carry grave news are included only if `is_open` for their record. Using the result may raise
    `open_shelf.OfAnotherRelease`. One query, or two if an earlier release built some of the shelves. Raises as
    `reading.window` does."""
    asked = _Asked(test, most + 1, Reader().read, {pk: (sender,) for pk, sender in senders.items()})
    values = _values(found, ring, asked)
    if any(_is_earlier(shelf.index) for shelf in found if shelf.index is not None):
        values += _values_before(found, ring, asked)
    if len(found) > 1:
        values.sort(key=_record)
        values.sort(key=_sorts_at, reverse=True)
    entry = partial(_entry, asked.read)
    told, closed = [], 0
    for value in values[:most]:
        held, leaf = value.held, value.leaf
        if leaf.of_grave and held.path in leaf.of_grave and not is_open(held.record):
            closed += 1
        elif leaf.alike:
            alike = leaf.alike[held.alike]
            told.append(SeriesValue(held, alike, held.told, entry, leaf.senders, leaf.connection_id, held.record))
    return OfTest(tuple(told), closed, has_older=len(values) > most)


def has_only(record: int, found: Sequence[OpenShelf], test: str, ring: KeyRing) -> bool:
    """Whether the value of that record is the only one of its test, even if several providers sent it. False if some
    values may not be shown, or if an earlier release built a shelf, which will be rebuilt automatically. One query.
    Raises as `reading.window` does."""
    if any(shelf.index is None or shelf.lacks_some or _is_earlier(shelf.index) for shelf in found):
        return False
    records, senders = set[int](), list[UUID]()
    said = set[tuple[str, bytes]]()
    for leaf, opened in fetching_leaves.opened(
        fetching_leaves.of_name(found, Arrangement.POINTS, test, most=_FEW), ring
    ):
        for held in understood(partial(point_leaves.values, test=test), opened)[0]:
            records.add(held.record)
            senders.append(leaf.source.shelf.connection_id)
            said.add((held.sorts_at, held.mark))
    is_sent_alike = len(senders) == len(set(senders)) and all(mark for _newest, mark in said)
    return record in records and (len(senders) == 1 or (len(said) == 1 and is_sent_alike))


def _is_earlier(index: Index) -> bool:
    return Arrangement.TESTS.value in index.arrangements


class _Asked(NamedTuple):
    test: str
    most: int
    read: Callable[[bytes], Compared]
    senders: Mapping[UUID, tuple[Sender, ...]]


class _Leaf(NamedTuple):
    """What all values of a leaf share: their common parts, empty if unreadable; who sent them, and by which connection;
    and the results of its shelf that belong to what may carry grave news."""

    alike: tuple[Alike, ...]
    senders: tuple[Sender, ...]
    connection_id: UUID
    of_grave: frozenset[str]


class _Value(msgspec.Struct, gc=False):  # not tracked: garbage collection would go through five hundred tuples
    held: LeafPoint
    leaf: _Leaf


_record: Final = attrgetter("held.record")
_sorts_at: Final = attrgetter("held.sorts_at")


def _values(found: Sequence[OpenShelf], ring: KeyRing, asked: _Asked) -> list[_Value]:
    """The values on shelves that have points."""
    of_it = partial(point_leaves.values, test=asked.test)
    values: list[_Value] = []
    wanted = fetching_leaves.of_name(found, Arrangement.POINTS, asked.test, most=asked.most)
    for leaf, opened in fetching_leaves.opened(wanted, ring):
        on_leaf, alike = understood(of_it, opened)
        said = _leaf(leaf.source.shelf, alike, asked)
        values += [_Value(held, said) for held in on_leaf]
    return values


def _values_before(found: Sequence[OpenShelf], ring: KeyRing, asked: _Asked) -> Iterator[_Value]:
    """The values on shelves of an earlier release, which hold the whole entries of a test together."""
    rows = reading.rows_of_one(found, Arrangement.TESTS, asked.test, ring, most=asked.most)
    for shelf, (_, _, _, record), row in rows:
        held, alike = LeafPoint(record=record), tuple[Alike, ...]()
        try:
            held = LeafPoint(record=record, path=point_leaves.path(row.entry))
            point, said = points.of(asked.read(row.entry))
            held, alike = LeafPoint.of(point, record=record, path=held.path, told=bytes(row.entry)), (said,)
        except msgspec.MsgspecError:
            reading.tell_unread(shelf, row)
        yield _Value(held, _leaf(shelf, alike, asked))


def _leaf(shelf: OpenShelf, alike: tuple[Alike, ...], asked: _Asked) -> _Leaf:
    return _Leaf(alike, asked.senders[shelf.connection_id], shelf.connection_id, shelf.of_grave)


def _entry(read: Callable[[bytes], Compared], alike: Alike, told: bytes) -> Compared:
    return understood(read, comparing.joined(alike.told, told))
