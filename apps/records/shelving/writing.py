"""Write the leaves of a shelf: sealed one by one, and stored a few at a time, so that memory use stays constant."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from apps.records import places
from apps.records.binary_cursors import binary_cursor
from apps.records.models import Shelf
from apps.records.shelving import indexing, point_leaves, word_leaves
from apps.records.shelving.arranging import Arrangement, Key
from apps.records.shelving.indexing import Head, Stretch
from apps.vault.sealing import KeyRing

_LEAVES_AT_ONCE: Final = 20
_LARGEST_LEAF_BYTES: Final = 1_000_000  # fewer rows if they are long
_STORE: Final = """
INSERT INTO records_leaf (user_id, shelf_id, build, arrangement, number, sealed_rows)
SELECT %(user_id)s, %(shelf_id)s, %(build)s, %(arrangement)s, number, sealed_rows
FROM unnest(%(numbers)b::integer[], %(leaves)b::bytea[]) AS leaves (number, sealed_rows)
"""


@dataclass(frozen=True)
class Writing:
    """Writes the leaves of one build of a shelf, and returns what its index has to know of them."""

    shelf: Shelf
    build: UUID
    ring: KeyRing

    def write(self, arrangement: Arrangement, rows: Iterator[tuple[Key, bytes]]) -> Stretch:
        """Write rows in their order, as many on a leaf as a page should read."""
        heads: list[Head] = []
        leaves: list[bytes] = []
        last: Key | None = None
        for keyed in _leaves(rows):
            leaves.append(self._leaf(arrangement, len(heads), indexing.write_rows(keyed)))
            heads.append(Head(len(keyed), keyed[0][0]))
            last = keyed[-1][0]
            if len(leaves) == _LEAVES_AT_ONCE:
                self._store(arrangement, len(heads), leaves)
                leaves = []
        self._store(arrangement, len(heads), leaves)
        return Stretch(tuple(heads), last)

    def write_points(self, made: Iterable[point_leaves.WrittenLeaf]) -> Stretch:
        """Write every value of each test, for pages over time."""
        heads: list[Head] = []
        last: Key | None = None
        for written in made:
            self._store(Arrangement.POINTS, len(heads) + 1, [self._leaf(Arrangement.POINTS, len(heads), written.leaf)])
            heads.append(written.head)
            last = written.last
        return Stretch(tuple(heads), last)

    def write_words(self, rows: Iterator[tuple[Key, bytes]]) -> dict[str, Stretch]:
        """Write what a search looks through, and what it finds there."""
        heads: list[Head] = []
        found = 0
        for made in word_leaves.leaves(rows):
            words = self._leaf(Arrangement.WORDS, len(heads), made.words)
            heads.append(made.head)
            self._store(Arrangement.WORDS, len(heads), [words])
            leaves = [self._leaf(Arrangement.FOUND, found + nth, leaf) for nth, leaf in enumerate(made.found)]
            found += len(leaves)
            self._store(Arrangement.FOUND, found, leaves)
        return {Arrangement.WORDS.value: Stretch(tuple(heads)), Arrangement.FOUND.value: Stretch()}

    def _leaf(self, arrangement: Arrangement, number: int, leaf: bytes) -> bytes:
        place = places.leaf_place(
            connection_id=self.shelf.connection_id,
            subject=self.shelf.subject,
            build=self.build,
            arrangement=arrangement.value,
            number=number,
        )
        return self.ring.seal_body(leaf, place=place)

    def _store(self, arrangement: Arrangement, end: int, leaves: list[bytes]) -> None:
        """Store these leaves; the last one has the number before `end`."""
        if not leaves:
            return
        values: dict[str, Any] = {
            "user_id": self.shelf.user_id,
            "shelf_id": self.shelf.pk,
            "build": self.build,
            "arrangement": arrangement.value,
            "numbers": list(range(end - len(leaves), end)),
            "leaves": leaves,
        }
        with binary_cursor() as cursor:
            cursor.execute(_STORE, values)


def _leaves(rows: Iterator[tuple[Key, bytes]]) -> Iterator[list[tuple[Key, bytes]]]:
    """Rows, divided into leaves, none larger than a page should read."""
    leaf: list[tuple[Key, bytes]] = []
    size = 0
    for keyed in rows:
        if leaf and (len(leaf) == indexing.MOST_ROWS or size + len(keyed[1]) > _LARGEST_LEAF_BYTES):
            yield leaf
            leaf, size = [], 0
        leaf.append(keyed)
        size += len(keyed[1])
    if leaf:
        yield leaf
