"""Leaves of points: the values of a test as bare numbers and dates, each with what else a table shows of it, still
encoded.

A page over time reads five hundred values and used to open whole entries for them, all but fifty of which were read for
a number and a date only. Points take a tenth of the bytes, and what many values have in common is stored once on a
leaf.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from apps.records.charts import comparing, points
from apps.records.charts.comparing import Reader
from apps.records.charts.points import Alike, Point
from apps.records.presenters.observations.results import Compared
from apps.records.shelving.arranging import Key
from apps.records.shelving.indexing import Head, Row

_MOST_ROWS: Final = 125  # on a leaf: a page that reads five hundred values reads few of other tests
_LARGEST_LEAF_BYTES: Final = 1_000_000  # fewer rows if they are long


class LeafPoint(Point, frozen=True, array_like=True, gc=False):
    """One value on a leaf, and its record. `path` is the record as `Type/id`, `alike` the number of what it shares with
    others on the leaf, and `told` what else is shown of it (`comparing.told`)."""

    record: int = 0
    path: str = ""
    alike: int = 0
    told: bytes = b""

    @classmethod
    def of(cls, point: Point, *, record: int, path: str, told: bytes, alike: int = 0) -> "LeafPoint":
        """A leaf point made from a point."""
        at_and_value = (point.at, point.sorts_at, point.number, point.words, point.is_left_out, point.mark)
        return cls(*at_and_value, record=record, path=path, alike=alike, told=told)


class Leaf(msgspec.Struct, frozen=True, array_like=True):
    """A leaf: one test after the other, each newest first, still encoded."""

    alike: tuple[Alike, ...]
    tests: tuple[tuple[str, msgspec.Raw], ...]


class WrittenLeaf(NamedTuple):
    """A leaf as it is written, and what the index knows of it. `last` is the key of its last row."""

    head: Head
    last: Key
    leaf: bytes


class _Named(msgspec.Struct):
    resource_type: str = ""
    logical_id: str = ""


_NAMES: Final = msgspec.json.Decoder(_Named).decode
_ROW: Final = msgspec.json.Decoder(Row).decode
_LEAF: Final = msgspec.msgpack.Decoder(Leaf).decode
_HELD: Final = msgspec.msgpack.Decoder(tuple[LeafPoint, ...]).decode


def leaves(rows: Iterable[tuple[Key, bytes]]) -> Iterator[WrittenLeaf]:
    """The leaves for these rows of results, which are grouped by test (`arranging.by_test`)."""
    leaf: list[tuple[Key, bytes]] = []
    size = 0
    for key, written in rows:
        if leaf and (len(leaf) == _MOST_ROWS or size + len(written) > _LARGEST_LEAF_BYTES):
            yield _written(leaf)
            leaf, size = [], 0
        leaf.append((key, written))
        size += len(written)
    if leaf:
        yield _written(leaf)


def values(leaf: bytes, test: str) -> tuple[tuple[LeafPoint, ...], tuple[Alike, ...]]:
    """The values of one test on a leaf, and what they have in common, by number. Raises msgspec.MsgspecError if an
    earlier release wrote the leaf."""
    read = _LEAF(leaf)
    of_it = next((held for name, held in read.tests if name == test), None)
    return (_HELD(of_it) if of_it is not None else ()), read.alike


def path(entry: bytes) -> str:
    """`Type/id` of an encoded entry."""
    named = _NAMES(entry)
    return f"{named.resource_type}/{named.logical_id}"


def _written(rows: Sequence[tuple[Key, bytes]]) -> WrittenLeaf:
    alike: dict[bytes, int] = {}
    read = Reader().read
    held = ((key[1], _held(written, alike, read)) for key, written in rows)
    tests = [(test, [each for _test, each in of_it]) for test, of_it in groupby(held, key=lambda named: named[0])]
    leaf = msgspec.msgpack.encode(([msgspec.Raw(each) for each in alike], tests))
    return WrittenLeaf(Head(len(rows), rows[0][0]), rows[-1][0], leaf)


def _held(written: bytes, alike: dict[bytes, int], read: Callable[[bytes], Compared]) -> LeafPoint:
    row = _ROW(written)
    of_many, told = comparing.told(row.entry)
    point, said = points.of(read(comparing.joined(of_many, told)))
    number = alike.setdefault(msgspec.msgpack.encode(replace(said, told=of_many)), len(alike))
    return LeafPoint.of(point, record=row.record, path=path(row.entry), told=told, alike=number)
