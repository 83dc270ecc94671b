"""Pages that repeat in a cycle, though each is reached by a link that was never seen before.

A server may lead from its last page back to an earlier one for ever. The rows tell that from a long record: the same
pages come in the same order, three times over. No record is sent so, and whatever was sent once is stored by then.
"""

import hashlib
from typing import Final, NamedTuple

_FEWEST: Final = 10  # pages that came again: a page or two may, of a server that answers twice


class Rounds(NamedTuple):
    """What pages brought since one of them, the `anchor`, which moves on at the second, fourth, eighth page, and so on
    (Brent's way to find a cycle): `chain` is a print of the `length` pages since it last came, `lap` of those between
    that and the time before, and `repeated` how many pages came again in whole laps."""

    anchor: str = ""
    chain: str = ""
    length: int = 0
    lap: str = ""
    repeated: int = 0

    def after(self, page: str, *, pages: int) -> "Rounds":
        """With one more page, of this print (empty: of no rows), with which there are so many."""
        if pages & (pages - 1) == 0:
            return Rounds(anchor=page)
        length = self.length + 1
        chain = hashlib.sha256(f"{self.chain}{page};".encode()).hexdigest()
        if not page or page != self.anchor:
            return self._replace(chain=chain, length=length)
        repeated = self.repeated + length if chain == self.lap else 0
        return Rounds(self.anchor, lap=chain, repeated=repeated)

    def is_circle(self, before: "Rounds") -> bool:
        """Whether nothing else is to come: told where a lap ends, by how it was `before` that."""
        has_ended = not self.length
        return has_ended and self.repeated >= max(_FEWEST, 2 * (before.length + 1))
