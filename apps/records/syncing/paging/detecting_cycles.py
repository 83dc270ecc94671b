"""Pages that repeat in a cycle although each has a link never seen before.

A server may lead from its last page back to an earlier one for ever. The rows distinguish that from a long record: the
same pages come in the same order, three times over. No genuine search does that, and everything in the cycle is stored
by then.
"""

import hashlib
from typing import Final, NamedTuple

_FEWEST: Final = 10  # repeated pages: a server that answers twice repeats one or two


class Rounds(NamedTuple):
    """The pages since a certain one, the `anchor`, which is replaced at the second, fourth, eighth page, and so on
    (Brent's algorithm for cycle detection). `chain` is a digest of the `length` pages since the anchor was last seen,
    `lap` is the digest of the pages between that and the time before, and `repeated` counts the pages that were
    repeated in whole laps."""

    anchor: str = ""
    chain: str = ""
    length: int = 0
    lap: str = ""
    repeated: int = 0

    def after(self, page: str, *, pages: int) -> "Rounds":
        """With one more page added: `page` is its digest (empty if it has no rows), and `pages` the number of pages
        including it."""
        if pages & (pages - 1) == 0:
            return Rounds(anchor=page)
        length = self.length + 1
        chain = hashlib.sha256(f"{self.chain}{page};".encode()).hexdigest()
        if not page or page != self.anchor:
            return self._replace(chain=chain, length=length)
        repeated = self.repeated + length if chain == self.lap else 0
        return Rounds(self.anchor, lap=chain, repeated=repeated)

    def is_circle(self, before: "Rounds") -> bool:
        """Whether the cycle is proven, so that nothing else will come: decided whenever a lap ends, by the state
        `before` it."""
        has_ended = not self.length
        return has_ended and self.repeated >= max(_FEWEST, 2 * (before.length + 1))
