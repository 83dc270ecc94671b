"""Pages that repeat what came before in ever another order, though each is reached by a link that was never seen
before.

No digest of a page tells them from a long record: no two pages are alike, so no cycle is found (`detecting_cycles`).
What tells them is that nothing new comes. A search may rightly repeat all that the searches before it brought, or what
it brought itself before it began anew. So it is called shuffled only after so many rows in a row, none of them new,
that everything would have come three times over.
"""

from typing import Final, NamedTuple

_FEWEST_PAGES: Final = 100  # as of pages on which nothing is (`cursors`)
_TIMES_OVER: Final = 3


class Stretch(NamedTuple):
    """What a search brought since somebody looked how many different rows of the type the run has: `known`. Looking is
    a question to the database, so that it is put ever more rarely, as the record grows."""

    known: int = 0
    pages: int = 0
    rows: int = 0

    def after(self, rows: int) -> "Stretch":
        """With one more page, on which so many rows of the type were."""
        return self._replace(pages=self.pages + 1, rows=self.rows + rows)

    @property
    def is_long(self) -> bool:
        """Whether it is time to look: if nothing new came by now, nothing will."""
        return self.pages >= _FEWEST_PAGES and self.rows >= _TIMES_OVER * self.known

    def is_shuffled(self, *, known: int) -> bool:
        """Whether a look at the end of a long stretch, which finds so many, says that nothing came of it."""
        return self.is_long and 0 < known <= self.known
