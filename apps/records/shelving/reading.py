"""Read shelves for a page: their indexes, and then the few leaves whose rows it shows.

The shelves of several connections, or of several subjects, read as one list: the indexes know where each leaf begins
and how many rows it has, and so which leaves can hold the fifty rows that a page wants.
"""

import bisect
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from apps.records import places
from apps.records.binary_cursors import binary_cursor
from apps.records.presenters.entry import Entry
from apps.records.presenting import KINDS
from apps.records.shelving import beginnings, indexing
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.indexing import Aim, Index, Row
from apps.vault.errors import CannotOpen, VaultError
from apps.vault.sealing import KeyRing

_LOG = logging.getLogger(__name__)

_T = TypeVar("_T")
_W = TypeVar("_W", bytes, msgspec.Raw)

_NO_BUILD: Final = UUID(int=0)
_BEHIND_ALL: Final[Key] = (1 << 30, "", "", 0)


@dataclass(frozen=True, eq=False)
class OpenShelf:
    """A shelf with its index. `index` is None where it does not open, or is of another release."""

    pk: int
    connection_id: UUID
    subject: str
    index: Index | None

    @property
    def build(self) -> UUID:
        """Whose leaves it reads."""
        return self.index.build if self.index else _NO_BUILD

    @property
    def lacks_some(self) -> bool:
        """Whether it knows of records that do not open and may belong to it."""
        return self.index is not None and self.index.unopened > 0

    @property
    def of_grave(self) -> frozenset[str]:
        """Its results that belong to what may carry grave news, as `Type/id`."""
        return self.index.of_grave if self.index else frozenset()

    @property
    def aims(self) -> tuple[Aim, ...]:
        """What its goals want of results."""
        return self.index.aims if self.index else ()

    def stretch(self, arrangement: Arrangement) -> indexing.Stretch:
        """The leaves of that arrangement; none where there are none. Raises OfAnotherRelease."""
        closed = self.index.arrangements.get(arrangement.value) if self.index else None
        return indexing.Stretch() if closed is None else understood(indexing.read_stretch, closed)


class Shelved(NamedTuple):
    """One row of a list: the entry, whose it is, and where to open it. `entry` is None where it cannot be read;
    `is_of_grave` where it is a result that belongs to what may carry grave news."""

    record: int
    connection_id: UUID
    subject: str
    key: Key
    entry: Entry | None
    of_its_test: int = 0
    is_of_grave: bool = False


class Outdated(Exception):
    """The shelf was built anew while it was read: read it again."""


# Written out, as every page asks them: putting them together anew costs as much as asking.
_SHELVES: Final = """
SELECT shelf.id, shelf.connection_id, shelf.subject, shelf.sealed_index FROM records_shelf AS shelf
JOIN connections_connection AS link ON link.id = shelf.connection_id AND link.confirmed_at IS NOT NULL
WHERE shelf.user_id = %(user_id)s AND shelf.subject = ANY(%(subjects)b) ORDER BY shelf.id
"""
_LEAVES: Final = """
SELECT leaf.shelf_id, leaf.arrangement, leaf.number, leaf.sealed_rows FROM records_leaf AS leaf
JOIN unnest(%(shelves)b::bigint[], %(builds)b::uuid[], %(arrangements)b::text[], %(numbers)b::integer[])
AS asked (shelf_id, build, arrangement, number) ON leaf.shelf_id = asked.shelf_id AND leaf.build = asked.build
AND leaf.arrangement = asked.arrangement AND leaf.number = asked.number
"""


class OfAnotherRelease(CannotOpen):
    """A leaf, or what the index says of leaves, was written in another shape: `rebuild_shelves` mends it."""


def understood(read: Callable[[_W], _T], written: _W) -> _T:
    """What a leaf holds, or what an index says of leaves. Raises OfAnotherRelease."""
    try:
        return read(written)
    except msgspec.MsgspecError:  # no cause: it would show what it could not decode
        raise OfAnotherRelease from None


def shelves(user_id: UUID, ring: KeyRing, *, subjects: Iterable[str]) -> tuple[OpenShelf, ...]:
    """The shelves of these subjects, of every confirmed connection of the user: one query."""
    with binary_cursor() as cursor:
        cursor.execute(_SHELVES, {"user_id": user_id, "subjects": list(subjects)})
        found = cursor.fetchall()
    return tuple(OpenShelf(pk, of, name, _index(of, name, sealed, ring)) for pk, of, name, sealed in found)


def _index(connection_id: UUID, subject: str, sealed: bytes, ring: KeyRing) -> Index | None:
    place = places.shelf_place(connection_id=connection_id, subject=subject)
    try:
        return msgspec.json.decode(ring.open_body(sealed, place=place), type=Index)
    except (VaultError, msgspec.MsgspecError) as error:  # no traceback: a decoder's shows what it could not decode
        _LOG.error("A shelf does not open: connection %s, %s.", connection_id, type(error).__name__)
        return None


def window(
    found: Sequence[OpenShelf], arrangements: Mapping[str, Arrangement], start: int, stop: int, ring: KeyRing
) -> tuple[Shelved, ...]:
    """The rows from `start` to before `stop` of the list that all these shelves make together. `arrangements` says for
    each subject which order it is read in. One query. Raises Outdated, and VaultError where a leaf does not open."""
    sources = [_Source.of(shelf, arrangements[shelf.subject]) for shelf in found]
    wanted, before = _needed(sources, start, stop)
    rows = sorted(_unread_rows(wanted, ring), key=_key_of)[max(start - before, 0) : max(stop - before, 0)]
    return tuple(_shelved(leaf.source.shelf, key, row) for leaf, key, row in rows)


def window_by(
    order: Callable[[Shelved], Any],
    found: Sequence[OpenShelf],
    arrangements: Mapping[str, Arrangement],
    start: int,
    stop: int,
    ring: KeyRing,
) -> tuple[Shelved, ...]:
    """The same of the list in another order, which is told by an entry's head. Every leaf is opened, and of the entries
    no more decoded than their heads, but for those of the window. One query. Raises as `window` does."""
    leaves = _all_leaves([_Source.of(shelf, arrangements[shelf.subject]) for shelf in found])
    rows = sorted(_unread_rows(leaves, ring), key=_key_of)  # alike in that order, they stay in their own
    rows.sort(key=lambda told: order(_shelved(told[0].source.shelf, told[1], told[2], _HEADS)))
    return tuple(_shelved(leaf.source.shelf, key, row) for leaf, key, row in rows[start:stop])


def begun(found: Sequence[OpenShelf], asked: Iterable[str], ring: KeyRing) -> Mapping[str, tuple[Shelved, ...]]:
    """How the lists of these subjects begin, as `beginnings` says, entries read as its `KINDS`. One query for all.
    Raises as `window` does."""
    subjects = {subject: beginnings.OF[subject] for subject in asked}
    wanted: list[_Leaf] = []
    for subject, (arrangement, most) in subjects.items():
        sources = [_beginning(shelf, arrangement) for shelf in found if shelf.subject == subject]
        wanted += _needed(sources, 0, most)[0]
    rows: dict[str, list[_Unread]] = defaultdict(list)
    for unread in _unread_rows(wanted, ring):
        rows[unread[0].source.shelf.subject].append(unread)
    return {
        subject: tuple(
            _shelved(leaf.source.shelf, key, row, beginnings.KINDS)
            for leaf, key, row in sorted(rows[subject], key=_key_of)[:most]
        )
        for subject, (_, most) in subjects.items()
    }


def _beginning(shelf: OpenShelf, arrangement: Arrangement) -> "_Source":
    """Its heads; where an earlier release built the shelf, the whole arrangement, which says the same."""
    has_heads = shelf.index is not None and Arrangement.HEADS.value in shelf.index.arrangements
    return _Source.of(shelf, Arrangement.HEADS if has_heads else arrangement)


def fills_of(found: Sequence[OpenShelf], order: str, ring: KeyRing, *, most: int) -> tuple[Shelved, ...]:
    """The newest fills of the prescription with this id. One query. Raises as `window` does."""
    fills = rows_of_one(found, Arrangement.FILLS, order, ring, most=most)
    return tuple(_shelved(shelf, key, row) for shelf, key, row in fills)


def rows_of_one(
    found: Sequence[OpenShelf], arrangement: Arrangement, name: str, ring: KeyRing, *, most: int
) -> list[tuple[OpenShelf, Key, Row]]:
    """Of an arrangement that holds together what has the same name, the first rows of one name, at most so many. One
    query. Raises as `window` does."""
    return sorted(rows_of_any(found, arrangement, {name}, ring, most=most), key=_key_of)[:most]


def rows_of_any(
    found: Sequence[OpenShelf], arrangement: Arrangement, names: Collection[str], ring: KeyRing, *, most: int
) -> Iterator[tuple[OpenShelf, Key, Row]]:
    """The same of several names, unsorted, and perhaps more of each; one may come twice."""
    leaves = [leaf for name in names for leaf in _leaves_of_one(found, arrangement, name, most=most)]
    return ((leaf.source.shelf, key, row) for leaf, key, row in _unread_rows(leaves, ring) if key[1] in names)


def standing_at(
    places: Mapping[tuple[OpenShelf, Arrangement], Collection[Key]], ring: KeyRing
) -> Mapping[tuple[OpenShelf, Arrangement, Key], Shelved]:
    """What stands at these places; nothing where a place is empty. One query. Raises as `window` does."""
    wanted: list[_Leaf] = []
    for (shelf, arrangement), keys in places.items():
        source = _Source.of(shelf, arrangement)
        numbers = {bisect.bisect_right(source.firsts, key) - 1 for key in keys}
        wanted += [_Leaf(source, number) for number in sorted(numbers) if number >= 0]
    return {
        (leaf.source.shelf, leaf.source.arrangement, key): _shelved(leaf.source.shelf, key, row)
        for leaf, key, row in _unread_rows(wanted, ring)
        if key in places[leaf.source.shelf, leaf.source.arrangement]
    }


def leaves_of_one(
    found: Sequence[OpenShelf], arrangement: Arrangement, name: str, ring: KeyRing, *, most: int
) -> Iterator[tuple[OpenShelf, bytes]]:
    """The same by their leaves, opened, which hold others as well."""
    for leaf, sealed in _found(_leaves_of_one(found, arrangement, name, most=most)):
        yield leaf.source.shelf, _opened(leaf, sealed, ring)


def _leaves_of_one(found: Sequence[OpenShelf], arrangement: Arrangement, name: str, *, most: int) -> "list[_Leaf]":
    wanted = []
    for shelf in found:
        source = _Source.of(shelf, arrangement)
        first = max(bisect.bisect_left(source.firsts, (0, name, "", 0)) - 1, 0)
        last = bisect.bisect_left(source.firsts, (0, f"{name}\0", "", 0))
        # The first leaf may have none of them: its last row may be of another name.
        enough = bisect.bisect_left(source.before, source.before[min(first + 1, len(source.firsts))] + most)
        wanted += [_Leaf(source, number) for number in range(first, min(last, enough))]
    return wanted


@dataclass(frozen=True)
class _Source:
    """One arrangement of one shelf: where its leaves begin, and how many rows stand before each."""

    shelf: OpenShelf
    arrangement: Arrangement
    firsts: tuple[Key, ...]
    before: tuple[int, ...]  # one more than leaves: the last is how many there are
    last: Key

    @classmethod
    def of(cls, shelf: OpenShelf, arrangement: Arrangement) -> "_Source":
        stretch = shelf.stretch(arrangement)
        before = accumulate((head.count for head in stretch.heads), initial=0)
        firsts = tuple(head.first for head in stretch.heads)
        return cls(shelf, arrangement, firsts, tuple(before), stretch.last or _BEHIND_ALL)

    def ends(self, number: int) -> Key:
        """No row of that leaf stands behind this."""
        return self.firsts[number + 1] if number + 1 < len(self.firsts) else self.last

    def surely_before(self, key: Key) -> int:
        """How many rows stand before the key for certain: those of leaves that end before it."""
        begun = bisect.bisect_left(self.firsts, key)
        if begun and begun == len(self.firsts) and self.last < key:
            return self.before[begun]
        return self.before[max(begun - 1, 0)]

    def perhaps_before(self, key: Key) -> int:
        """How many can stand before or at the key at most: those of leaves that begin before it."""
        return self.before[bisect.bisect_right(self.firsts, key)]


@dataclass(frozen=True)
class _Leaf:
    source: _Source
    number: int


def _all_leaves(sources: Sequence[_Source]) -> list[_Leaf]:
    return [_Leaf(source, number) for source in sources for number in range(len(source.firsts))]


def _needed(sources: Sequence[_Source], start: int, stop: int) -> tuple[list[_Leaf], int]:
    """The leaves that can hold rows of the window, and how many rows stand before them in leaves that are not read."""
    needed: list[_Leaf] = []
    before = 0
    for source in sources:
        others = [other for other in sources if other is not source]
        # By its own rows alone, before the others are asked: of a list's first page nearly nothing is left to ask.
        before_start = range(bisect.bisect_right(source.before, start) - 1)
        before_stop = range(bisect.bisect_left(source.before, stop, hi=len(source.firsts)))
        low = bisect.bisect_right(before_start, start, key=lambda number: _latest(source, number, others))
        high = bisect.bisect_left(before_stop, stop, key=lambda number: _earliest(source, number, others))
        needed += [_Leaf(source, number) for number in range(low, high)]
        before += source.before[low]
    return needed, before


def _earliest(source: _Source, number: int, others: Sequence[_Source]) -> int:
    """How many rows of all stand before the first of that leaf, at least."""
    return source.before[number] + sum(other.surely_before(source.firsts[number]) for other in others)


def _latest(source: _Source, number: int, others: Sequence[_Source]) -> int:
    """How many rows of all stand before or at the last of that leaf, at most."""
    return source.before[number + 1] + sum(other.perhaps_before(source.ends(number)) for other in others)


def every_leaf(
    found: Sequence[OpenShelf], arrangement: Arrangement, ring: KeyRing
) -> Iterator[tuple[OpenShelf, int, bytes | None]]:
    """Every leaf of an arrangement with its number, shelf by shelf, opened one by one; None where one does not open.
    One query. Raises Outdated, and `apps.vault.errors.VaultError` where a key is missing."""
    for leaf, sealed in _found(_all_leaves([_Source.of(shelf, arrangement) for shelf in found])):
        yield leaf.source.shelf, leaf.number, _find(leaf, sealed, ring)


def leaves(
    wanted: Mapping[OpenShelf, Iterable[int]], arrangement: Arrangement, ring: KeyRing
) -> Mapping[tuple[OpenShelf, int], bytes | None]:
    """Those leaves of an arrangement, opened, by shelf and number; None where one does not open. One query. Raises as
    `every_leaf` does."""
    sources = {shelf: _Source.of(shelf, arrangement) for shelf in wanted}
    asked = [_Leaf(sources[shelf], number) for shelf, numbers in wanted.items() for number in numbers]
    return {(leaf.source.shelf, leaf.number): _find(leaf, sealed, ring) for leaf, sealed in _found(asked)}


_HEADS: Final = dict.fromkeys(KINDS, Entry)
_Unread: TypeAlias = tuple[_Leaf, Key, Row]
_key_of: Final = itemgetter(1)


def _unread_rows(leaves: Sequence[_Leaf], ring: KeyRing) -> Iterator[_Unread]:
    """The rows of these leaves, their entries still to be decoded: that is what costs."""
    for leaf, sealed in _found(leaves):
        for key, row in understood(indexing.read_rows, _opened(leaf, sealed, ring)):
            yield leaf, key, row


def _found(leaves: Sequence[_Leaf]) -> Iterator[tuple[_Leaf, bytes]]:
    """These leaves, still sealed. Raises Outdated where one is gone."""
    sealed = _sealed(leaves) if leaves else {}
    for leaf in leaves:
        found = sealed.get((leaf.source.shelf.pk, leaf.source.arrangement.value, leaf.number))
        if found is None:
            raise Outdated
        yield leaf, found


def _opened(leaf: _Leaf, sealed: bytes, ring: KeyRing) -> bytes:
    shelf = leaf.source.shelf
    place = places.leaf_place(
        connection_id=shelf.connection_id,
        subject=shelf.subject,
        build=shelf.build,
        arrangement=leaf.source.arrangement.value,
        number=leaf.number,
    )
    return ring.open_body(sealed, place=place)


def _find(leaf: _Leaf, sealed: bytes, ring: KeyRing) -> bytes | None:
    try:
        return _opened(leaf, sealed, ring)
    except CannotOpen:
        _LOG.error("A leaf does not open: connection %s, %s.", leaf.source.shelf.connection_id, leaf.source.arrangement)
        return None


def _sealed(leaves: Sequence[_Leaf]) -> dict[tuple[int, str, int], bytes]:
    """The leaves' sealed rows, in one query."""
    asked: dict[str, Any] = {
        "shelves": [leaf.source.shelf.pk for leaf in leaves],
        "builds": [leaf.source.shelf.build for leaf in leaves],
        "arrangements": [leaf.source.arrangement.value for leaf in leaves],
        "numbers": [leaf.number for leaf in leaves],
    }
    with binary_cursor() as cursor:
        cursor.execute(_LEAVES, asked)
        return {(shelf, arrangement, number): rows for shelf, arrangement, number, rows in cursor.fetchall()}


def _shelved(shelf: OpenShelf, key: Key, row: Row, kinds: Mapping[str, type[Entry]] = KINDS) -> Shelved:
    entry: Entry | None = None
    try:
        entry = row.opened(kinds)
    except msgspec.MsgspecError:
        tell_unread(shelf, row)
    grave = shelf.of_grave
    is_of_grave = bool(grave) and entry is not None and f"{entry.resource_type}/{entry.logical_id}" in grave
    return Shelved(row.record, shelf.connection_id, shelf.subject, key, entry, row.of_its_test, is_of_grave)


def tell_unread(shelf: OpenShelf, row: Row) -> None:
    """It is of another release: `rebuild_shelves` mends it. No traceback, which shows what could not be decoded."""
    _LOG.error("An entry of a shelf cannot be read: connection %s, %s.", shelf.connection_id, row.kind)
