"""Pages that repeat earlier rows in ever changing order, although each has a link never seen before.

Digests of pages cannot distinguish that from a long record: no two pages are alike, so no cycle is found
(`detecting_cycles`). The sign is that nothing new comes. A search may legitimately repeat all that the searches before
it brought, or what it brought itself before it was restarted. So it is called shuffled only after so many rows in a
row, none of them new, that everything would have come three times over.
"""

from typing import Final, NamedTuple

_FEWEST_PAGES: Final = 100  # as for empty pages (`cursors`)
_TIMES_OVER: Final = 3


class Stretch(NamedTuple):
    """What a search brought since the last look at how many different rows of the type the run has, which were `known`.
    Looking costs a query, so it happens ever more rarely as the record grows."""

    known: int = 0
    pages: int = 0
    rows: int = 0

    def after(self, rows: int) -> "Stretch":
        """With one more page added, which held this number of rows of the type."""
        return self._replace(pages=self.pages + 1, rows=self.rows + rows)

    @property
    def is_long(self) -> bool:
        """Whether it is time to look: if nothing new came by now, nothing will."""
        return self.pages >= _FEWEST_PAGES and self.rows >= _TIMES_OVER * self.known

    def is_shuffled(self, *, known: int) -> bool:
        """Whether the look at the end of a long stretch, which finds `known` rows, shows that the stretch brought
        none."""
        return self.is_long and 0 < known <= self.known
