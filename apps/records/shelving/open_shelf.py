"""A shelf with its index opened: what it says before any of its leaves is read."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID

import msgspec

from apps.records import places
from apps.records.binary_cursors import binary_cursor
from apps.records.shelving import indexing
from apps.records.shelving.arranging import Arrangement
from apps.records.shelving.indexing import Aim, Index
from apps.vault.errors import CannotOpen, VaultError
from apps.vault.sealing import KeyRing

_LOG = logging.getLogger(__name__)

_T = TypeVar("_T")
_W = TypeVar("_W", bytes, msgspec.Raw)

_NO_BUILD: Final = UUID(int=0)
# Written out, since every page runs it: building it in Python costs as much as running it.
_SHELVES: Final = """
SELECT shelf.id, shelf.connection_id, shelf.subject, shelf.sealed_index FROM records_shelf AS shelf
JOIN connections_connection AS link ON link.id = shelf.connection_id AND link.confirmed_at IS NOT NULL
WHERE shelf.user_id = %(user_id)s AND shelf.subject = ANY(%(subjects)b) ORDER BY shelf.id
"""


@dataclass(frozen=True, eq=False)
class OpenShelf:
    """A shelf with its index. `index` is None if it does not open or was written by another release in another
    format."""

    pk: int
    connection_id: UUID
    subject: str
    index: Index | None
    _read: dict[Arrangement, indexing.Stretch] = field(default_factory=dict, init=False, repr=False)

    @property
    def build(self) -> UUID:
        """The build whose leaves it reads."""
        return self.index.build if self.index else _NO_BUILD

    @property
    def lacks_some(self) -> bool:
        """Whether there are records that do not open and may belong to it."""
        return self.index is not None and self.index.unopened > 0

    @property
    def of_grave(self) -> frozenset[str]:
        """Those of its results that belong to what may carry grave news, as `Type/id`."""
        return self.index.of_grave if self.index else frozenset()

    @property
    def aims(self) -> tuple[Aim, ...]:
        """The values that its goals set for tests."""
        return self.index.aims if self.index else ()

    def stretch(self, arrangement: Arrangement) -> indexing.Stretch:
        """The leaves of that arrangement; empty if there are none. Raises OfAnotherRelease."""
        if arrangement not in self._read:  # a page asks for its length, and then for its leaves
            closed = self.index.arrangements.get(arrangement.value) if self.index else None
            read = indexing.Stretch() if closed is None else understood(indexing.read_stretch, closed)
            self._read[arrangement] = read
        return self._read[arrangement]


class OfAnotherRelease(CannotOpen):
    """A leaf, or what the index says of leaves, was written in another format: `rebuild_shelves` fixes that."""


def understood(read: Callable[[_W], _T], written: _W) -> _T:
    """Decode a leaf, or what an index says of leaves. Raises OfAnotherRelease."""
    try:
        return read(written)
    except msgspec.MsgspecError:  # not chained: the cause would show what it could not decode
        raise OfAnotherRelease from None


def shelves(user_id: UUID, ring: KeyRing, *, subjects: Iterable[str]) -> tuple[OpenShelf, ...]:
    """The shelves of these subjects, for every confirmed connection of the user: one query."""
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
