"""Read the values of one test from the shelves of all who sent some."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import msgspec

from apps.records.charts import comparing, points
from apps.records.charts.comparing import Reader
from apps.records.charts.points import Alike, Point
from apps.records.presenters.results import Compared
from apps.records.shelving import pointing, reading
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.pointing import Held
from apps.records.shelving.reading import OpenShelf
from apps.vault.sealing import KeyRing


class Told(NamedTuple):
    """A value of a test, and the connection it is from. `entry` reads what else is told of it, and raises
    `reading.OfAnotherRelease`."""

    connection_id: UUID
    point: Point
    alike: Alike
    entry: Callable[[], Compared]


class OfTest(NamedTuple):
    """Values of one test, newest first; how many were left closed; and whether there are more than were asked for."""

    values: tuple[Told, ...]
    closed: int
    has_older: bool


def of(found: Sequence[OpenShelf], test: str, ring: KeyRing, *, most: int, is_open: Callable[[int], bool]) -> OfTest:
    """The newest values of one test, at most so many. Of those that belong to what may carry grave news, the ones whose
    record `is_open`. One query, or two where an earlier release built some of the shelves. Raises as `reading.window`
    does."""
    read = Reader().read
    values = _values(found, test, ring, read, most=most + 1)
    if any(Arrangement.TESTS.value in shelf.index.arrangements for shelf in found if shelf.index is not None):
        values = sorted([*values, *_values_before(found, test, ring, read, most=most + 1)], key=_key_of)
    told, closed = [], 0
    for (*_, record), shelf, path, value in values[:most]:
        if shelf.of_grave and path in shelf.of_grave and not is_open(record):
            closed += 1
        elif value is not None:
            told.append(value)
    return OfTest(tuple(told), closed, has_older=len(values) > most)


_Value: TypeAlias = tuple[Key, OpenShelf, str, Told | None]  # with its path; None where it cannot be read
_Read: TypeAlias = Callable[[bytes], Compared]
_key_of: Final = itemgetter(0)


def _values(found: Sequence[OpenShelf], test: str, ring: KeyRing, read: _Read, *, most: int) -> list[_Value]:
    """Those of shelves that have points, at most so many."""
    of_it = partial(pointing.values, test=test)
    values: list[_Value] = []
    for shelf, leaf in reading.leaves_of_one(found, Arrangement.POINTS, test, ring, most=most):
        for held, alike in reading.understood(of_it, leaf):
            told = Told(shelf.connection_id, held.point, alike, partial(_entry, read, alike, held))
            values.append(((0, test, held.newest, held.record), shelf, held.path, told))
    return sorted(values, key=_key_of)[:most]


def _values_before(found: Sequence[OpenShelf], test: str, ring: KeyRing, read: _Read, *, most: int) -> Iterator[_Value]:
    """Those of shelves of an earlier release, which have the whole entries of a test together."""
    for shelf, key, row in reading.rows_of_one(found, Arrangement.TESTS, test, ring, most=most):
        path, told = "", None
        try:
            path = pointing.path(row.entry)
            entry = read(row.entry)
            told = Told(shelf.connection_id, *points.of(entry), partial(_itself, entry))
        except msgspec.MsgspecError:
            reading.tell_unread(shelf, row)
        yield key, shelf, path, told


def _entry(read: _Read, alike: Alike, held: Held) -> Compared:
    return reading.understood(read, comparing.joined(alike.told, held.told))


def _itself(entry: Compared) -> Compared:
    return entry
