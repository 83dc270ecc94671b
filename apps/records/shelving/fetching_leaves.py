"""Fetch and open leaves: first find which of them can hold the wanted rows, then read those.

The shelves of several connections or subjects are read as one list. Their indexes know the first key and the number of
rows of each leaf, and hence which leaves can hold the fifty rows of a page.
"""

import bisect
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from apps.records import places
from apps.records.binary_cursors import binary_cursor
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.open_shelf import OpenShelf
from apps.vault.errors import CannotOpen
from apps.vault.sealing import KeyRing

_LOG = logging.getLogger(__name__)

_BEHIND_ALL: Final[Key] = (1 << 30, "", "", 0)
# Written out, since every page runs it: building it in Python costs as much as running it.
_LEAVES: Final = """
SELECT leaf.shelf_id, leaf.arrangement, leaf.number, leaf.sealed_rows FROM records_leaf AS leaf
JOIN unnest(%(shelves)b::bigint[], %(builds)b::uuid[], %(arrangements)b::text[], %(numbers)b::integer[])
AS asked (shelf_id, build, arrangement, number) ON leaf.shelf_id = asked.shelf_id AND leaf.build = asked.build
AND leaf.arrangement = asked.arrangement AND leaf.number = asked.number
"""


class Outdated(Exception):
    """The shelf was rebuilt while it was being read: read it again."""


@dataclass(frozen=True)
class Source:
    """One arrangement of one shelf: the first key of each leaf, and how many rows stand before it."""

    shelf: OpenShelf
    arrangement: Arrangement
    firsts: tuple[Key, ...]
    before: tuple[int, ...]  # one longer than `firsts`: the last is the total
    last: Key

    @classmethod
    def of(cls, shelf: OpenShelf, arrangement: Arrangement) -> "Source":
        """The source, from what the index says of the arrangement. Raises `open_shelf.OfAnotherRelease`."""
        stretch = shelf.stretch(arrangement)
        before = accumulate((head.count for head in stretch.heads), initial=0)
        firsts = tuple(head.first for head in stretch.heads)
        return cls(shelf, arrangement, firsts, tuple(before), stretch.last or _BEHIND_ALL)

    def ends(self, number: int) -> Key:
        """A key that no row of that leaf exceeds."""
        return self.firsts[number + 1] if number + 1 < len(self.firsts) else self.last

    def surely_before(self, key: Key) -> int:
        """How many rows stand before the key for certain: those of leaves that end before it."""
        begun = bisect.bisect_left(self.firsts, key)
        if begun and begun == len(self.firsts) and self.last < key:
            return self.before[begun]
        return self.before[max(begun - 1, 0)]

    def perhaps_before(self, key: Key) -> int:
        """How many rows can stand before the key or at it: those of leaves that begin there or before."""
        return self.before[bisect.bisect_right(self.firsts, key)]


@dataclass(frozen=True)
class Leaf:
    """One of a source's leaves, by its place among them."""

    source: Source
    number: int


def all_of(sources: Sequence[Source]) -> list[Leaf]:
    """Every leaf of these sources."""
    return [Leaf(source, number) for source in sources for number in range(len(source.firsts))]


def needed(sources: Sequence[Source], start: int, stop: int) -> tuple[list[Leaf], int]:
    """The leaves that can hold rows of the window, and how many rows stand before it in leaves that are not read."""
    wanted: list[Leaf] = []
    before = 0
    for source in sources:
        others = [other for other in sources if other is not source]
        # First by the source's own rows alone, before the other sources are compared: for the first page of a list,
        # hardly any leaf is left to check.
        before_start = range(bisect.bisect_right(source.before, start) - 1)
        before_stop = range(bisect.bisect_left(source.before, stop, hi=len(source.firsts)))
        low = bisect.bisect_right(before_start, start, key=lambda number: _latest(source, number, others))
        high = bisect.bisect_left(before_stop, stop, key=lambda number: _earliest(source, number, others))
        wanted += [Leaf(source, number) for number in range(low, high)]
        before += source.before[low]
    return wanted, before


def _earliest(source: Source, number: int, others: Sequence[Source]) -> int:
    """At least how many rows of all sources stand before the first row of that leaf."""
    return source.before[number] + sum(other.surely_before(source.firsts[number]) for other in others)


def _latest(source: Source, number: int, others: Sequence[Source]) -> int:
    """At most how many rows of all sources stand before the last row of that leaf, itself included."""
    return source.before[number + 1] + sum(other.perhaps_before(source.ends(number)) for other in others)


def of_name(found: Sequence[OpenShelf], arrangement: Arrangement, name: str, *, most: int) -> list[Leaf]:
    """In an arrangement that groups rows by name, the leaves with the first rows of one name: at least `most` of them,
    if there are as many. These leaves hold rows of other names as well."""
    wanted = []
    for shelf in found:
        source = Source.of(shelf, arrangement)
        first = max(bisect.bisect_left(source.firsts, (0, name, "", 0)) - 1, 0)
        last = bisect.bisect_left(source.firsts, (0, f"{name}\0", "", 0))
        # The first leaf may have none of them: its last row may have another name.
        enough = bisect.bisect_left(source.before, source.before[min(first + 1, len(source.firsts))] + most)
        wanted += [Leaf(source, number) for number in range(first, min(last, enough))]
    return wanted


def opened(wanted: Sequence[Leaf], ring: KeyRing) -> Iterator[tuple[Leaf, bytes]]:
    """Open these leaves, one by one. One query. Raises Outdated if one is gone, and `apps.vault.errors.VaultError` if
    one does not open."""
    for leaf, sealed in _fetched(wanted):
        yield leaf, _open(leaf, sealed, ring)


def every(
    found: Sequence[OpenShelf], arrangement: Arrangement, ring: KeyRing
) -> Iterator[tuple[OpenShelf, int, bytes | None]]:
    """Every leaf of an arrangement with its number, shelf by shelf, opened one by one; None if a leaf does not open.
    One query. Raises Outdated, and `apps.vault.errors.VaultError` if a key is missing."""
    for leaf, sealed in _fetched(all_of([Source.of(shelf, arrangement) for shelf in found])):
        yield leaf.source.shelf, leaf.number, _find(leaf, sealed, ring)


def these(
    wanted: Mapping[OpenShelf, Iterable[int]], arrangement: Arrangement, ring: KeyRing
) -> Mapping[tuple[OpenShelf, int], bytes | None]:
    """These leaves of an arrangement, opened, by shelf and number; None if a leaf does not open. One query. Raises as
    `every` does."""
    sources = {shelf: Source.of(shelf, arrangement) for shelf in wanted}
    asked = [Leaf(sources[shelf], number) for shelf, numbers in wanted.items() for number in numbers]
    return {(leaf.source.shelf, leaf.number): _find(leaf, sealed, ring) for leaf, sealed in _fetched(asked)}


def _fetched(wanted: Sequence[Leaf]) -> Iterator[tuple[Leaf, bytes]]:
    """These leaves, still sealed. Raises Outdated if one is gone."""
    rows = _rows(wanted) if wanted else {}
    for leaf in wanted:
        sealed = rows.get((leaf.source.shelf.pk, leaf.source.arrangement.value, leaf.number))
        if sealed is None:
            raise Outdated
        yield leaf, sealed


def _rows(wanted: Sequence[Leaf]) -> dict[tuple[int, str, int], bytes]:
    """Their sealed contents, in one query."""
    asked: dict[str, Any] = {
        "shelves": [leaf.source.shelf.pk for leaf in wanted],
        "builds": [leaf.source.shelf.build for leaf in wanted],
        "arrangements": [leaf.source.arrangement.value for leaf in wanted],
        "numbers": [leaf.number for leaf in wanted],
    }
    with binary_cursor() as cursor:
        cursor.execute(_LEAVES, asked)
        return {(shelf, arrangement, number): rows for shelf, arrangement, number, rows in cursor.fetchall()}


def _open(leaf: Leaf, sealed: bytes, ring: KeyRing) -> bytes:
    shelf = leaf.source.shelf
    place = places.leaf_place(
        connection_id=shelf.connection_id,
        subject=shelf.subject,
        build=shelf.build,
        arrangement=leaf.source.arrangement.value,
        number=leaf.number,
    )
    return ring.open_body(sealed, place=place)


def _find(leaf: Leaf, sealed: bytes, ring: KeyRing) -> bytes | None:
    try:
        return _open(leaf, sealed, ring)
    except CannotOpen:
        _LOG.error("A leaf does not open: connection %s, %s.", leaf.source.shelf.connection_id, leaf.source.arrangement)
        return None
