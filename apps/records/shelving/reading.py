"""Read shelves for a page: the rows that it shows, from the few leaves that can hold them."""

import bisect
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

import msgspec

from apps.records.presenters.entry import Entry
from apps.records.presenting import KINDS
from apps.records.shelving import beginnings, fetching_leaves, indexing
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.fetching_leaves import Leaf, Outdated, Source
from apps.records.shelving.indexing import Row
from apps.records.shelving.open_shelf import OpenShelf, shelves, understood
from apps.vault.sealing import KeyRing

__all__ = [
    "OpenShelf", "Outdated", "Shelved", "begun", "fills_of", "rows_of_any", "rows_of_one", "shelves", "standing_at",
    "tell_unread", "window", "window_by",
]  # fmt: skip

_LOG = logging.getLogger(__name__)

_HEADS: Final = dict.fromkeys(KINDS, Entry)
_Unread: TypeAlias = tuple[Leaf, Key, Row]
_key_of: Final = itemgetter(1)


class Shelved(NamedTuple):
    """One row of a list: the entry, its connection, and the record that has its page. `entry` is None if it cannot be
    read; `is_of_grave` if it is a result that belongs to what may carry grave news."""

    record: int
    connection_id: UUID
    subject: str
    key: Key
    entry: Entry | None
    of_its_test: int = 0
    is_of_grave: bool = False


def window(
    found: Sequence[OpenShelf], arrangements: Mapping[str, Arrangement], start: int, stop: int, ring: KeyRing
) -> tuple[Shelved, ...]:
    """The rows from `start` to before `stop` of the list that all these shelves make together. `arrangements` says for
    each subject in which order it is read. One query. Raises Outdated, and VaultError if a leaf does not open."""
    sources = [Source.of(shelf, arrangements[shelf.subject]) for shelf in found]
    wanted, before = fetching_leaves.needed(sources, start, stop)
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
    """The same for the list in another order, which depends only on the head of each entry. Every leaf is opened, but
    only the entries of the window are decoded completely, and of the others the heads. One query. Raises as `window`
    does."""
    wanted = fetching_leaves.all_of([Source.of(shelf, arrangements[shelf.subject]) for shelf in found])
    rows = sorted(_unread_rows(wanted, ring), key=_key_of)  # rows that are equal in that order keep their own
    rows.sort(key=lambda told: order(_shelved(told[0].source.shelf, told[1], told[2], _HEADS)))
    return tuple(_shelved(leaf.source.shelf, key, row) for leaf, key, row in rows[start:stop])


def begun(found: Sequence[OpenShelf], asked: Iterable[str], ring: KeyRing) -> Mapping[str, tuple[Shelved, ...]]:
    """The first rows of the lists of these subjects, as `beginnings` defines, decoded as its `KINDS`. One query for
    all. Raises as `window` does."""
    subjects = {subject: beginnings.OF[subject] for subject in asked}
    wanted: list[Leaf] = []
    for subject, (arrangement, most) in subjects.items():
        sources = [_beginning(shelf, arrangement) for shelf in found if shelf.subject == subject]
        wanted += fetching_leaves.needed(sources, 0, most)[0]
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


def _beginning(shelf: OpenShelf, arrangement: Arrangement) -> Source:
    """Its heads; if an earlier release built the shelf, the whole arrangement, which begins with the same entries."""
    has_heads = shelf.index is not None and Arrangement.HEADS.value in shelf.index.arrangements
    return Source.of(shelf, Arrangement.HEADS if has_heads else arrangement)


def fills_of(found: Sequence[OpenShelf], order: str, ring: KeyRing, *, most: int) -> tuple[Shelved, ...]:
    """The newest fills of the prescription with this id. One query. Raises as `window` does."""
    fills = rows_of_one(found, Arrangement.FILLS, order, ring, most=most)
    return tuple(_shelved(shelf, key, row) for shelf, key, row in fills)


def rows_of_one(
    found: Sequence[OpenShelf], arrangement: Arrangement, name: str, ring: KeyRing, *, most: int
) -> list[tuple[OpenShelf, Key, Row]]:
    """In an arrangement that groups rows by name, the first rows of one name, at most `most`. One query. Raises as
    `window` does."""
    return sorted(rows_of_any(found, arrangement, {name}, ring, most=most), key=_key_of)[:most]


def rows_of_any(
    found: Sequence[OpenShelf], arrangement: Arrangement, names: Collection[str], ring: KeyRing, *, most: int
) -> Iterator[tuple[OpenShelf, Key, Row]]:
    """The same for several names, unsorted, and perhaps more rows of each; a row may come twice."""
    wanted = [leaf for name in names for leaf in fetching_leaves.of_name(found, arrangement, name, most=most)]
    return ((leaf.source.shelf, key, row) for leaf, key, row in _unread_rows(wanted, ring) if key[1] in names)


def standing_at(
    places: Mapping[tuple[OpenShelf, Arrangement], Collection[Key]], ring: KeyRing
) -> Mapping[tuple[OpenShelf, Arrangement, Key], Shelved]:
    """The rows at these places; a place without a row is left out. One query. Raises as `window` does."""
    wanted: list[Leaf] = []
    for (shelf, arrangement), keys in places.items():
        source = Source.of(shelf, arrangement)
        numbers = {bisect.bisect_right(source.firsts, key) - 1 for key in keys}
        wanted += [Leaf(source, number) for number in sorted(numbers) if number >= 0]
    return {
        (leaf.source.shelf, leaf.source.arrangement, key): _shelved(leaf.source.shelf, key, row)
        for leaf, key, row in _unread_rows(wanted, ring)
        if key in places[leaf.source.shelf, leaf.source.arrangement]
    }


def _unread_rows(wanted: Sequence[Leaf], ring: KeyRing) -> Iterator[_Unread]:
    """The rows of these leaves, their entries not decoded yet: decoding is what costs."""
    for leaf, opened in fetching_leaves.opened(wanted, ring):
        for key, row in understood(indexing.read_rows, opened):
            yield leaf, key, row


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
    """Log that the entry is of another release: `rebuild_shelves` fixes that. There is no traceback, which would show
    what could not be decoded."""
    _LOG.error("An entry of a shelf cannot be read: connection %s, %s.", shelf.connection_id, row.kind)
