"""Cursors: where a step continues. One is made after each page, and sealed and stored together with the rows of that
page."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field, fields, replace
from enum import StrEnum
from typing import Final

from apps.records import places
from apps.records.models import SyncStep
from apps.records.syncing.paging.detecting_cycles import Rounds
from apps.records.syncing.paging.detecting_repeats import Stretch
from apps.vault.sealing import KeyRing, Place
from apps.wire.fhir import Resource

_MOST_ALIKE: Final = 10  # pages with the same rows, after the first of them
# Empty pages in a row. Some servers cut pages first and then remove what this patient may not see: so many pages of 25
# rows (interface facts 1.4) are 2,500 withheld rows in a row.
_MOST_EMPTY: Final = 100


class Unclear(StrEnum):
    """What a search leaves open at its end. To find out, its first page is requested once more, in another way."""

    NOTHING = ""
    WHETHER_COMPANY_COUNTS = "company"  # requested without the rows that come along
    WHETHER_PAGES_ARE_COUNTED = "pages"  # requested with few rows a page


@dataclass(frozen=True)
class Cursor:
    """Which of the type's searches is at hand, and the link to its next page (None: its first page).

    `mark` is a link followed before. It is replaced at the second, fourth, eighth page, and so on: links that form a
    cycle, however long, come back to it, and we need not remember them all (Brent's algorithm for cycle detection).
    `stopped_short`: a search was broken off before its end. `attempt`: which set of searches is used. `lacks` is the
    gap of a search that ended early while others of the type continued (`lacking`).

    `page` is a digest of which rows the last page held, and `alike` counts the pages in a row that held the same rows,
    or none: a server that answers with its last page for ever makes a new link each time. `rounds` detects the same for
    cycles of several pages, and of one as well, but perhaps only after as many further pages as came before the cycle.

    `unfinished` are the searches of this attempt that did not reach their end, whatever the reason.

    `is_large`: an answer exceeded the size limit, in this attempt or the one before.

    About the search at hand: `is_again` if it was started a second time, `in_few` if it asks for few rows a page,
    `for_everything` if its request for changes was refused, and `counted` is what the step had counted before this
    search. `company` counts the rows of other types that came along with it. While something is `unclear`, all its rows
    have been received, and its first page is requested again to see what it counts in another way.
    """

    search: int = 0
    next_url: str | None = None
    mark: str | None = None
    stopped_short: bool = False
    attempt: int = 0
    lacks: str = ""
    is_again: bool = False
    in_few: bool = False
    counted: Mapping[str, int | None] = field(default_factory=dict)
    page: str = ""
    alike: int = 0
    unfinished: tuple[int, ...] = ()
    rounds: Rounds = field(default_factory=Rounds)
    for_everything: bool = False
    stretch: Stretch = field(default_factory=Stretch)
    company: int = 0
    unclear: str = Unclear.NOTHING
    is_large: bool = False

    def after(self, next_url: str | None, *, pages: int, rows: Iterable[Resource] = ()) -> "Cursor":
        """The cursor after a page with this link and these rows; `pages` counts the step's pages, including this
        one."""
        page = _print_of(rows)
        alike = self.alike + 1 if page == self.page else 0
        rounds = self.rounds.after(page, pages=pages)
        is_stuck = alike >= (_MOST_ALIKE if page else _MOST_EMPTY)
        is_again = next_url == self.mark or is_stuck or rounds.is_circle(self.rounds)
        if next_url is not None and not is_again:
            is_power_of_two = pages & (pages - 1) == 0
            mark = next_url if self.mark is None or is_power_of_two else self.mark
            return replace(self, next_url=next_url, mark=mark, page=page, alike=alike, rounds=rounds)
        ended = self if next_url is None else self.short()
        return ended.next_search()

    def past(self, gap: str) -> "Cursor":
        """The next search, after this one ended early for this reason. If an answer exceeded the size limit and the
        server then refuses smaller pages, the gap is that it is too much, not that it is withheld or unknown there."""
        is_refusal = gap in {*SyncStep.SETTLED, SyncStep.Gap.REFUSED}
        return self.lacking(SyncStep.Gap.TOO_MUCH if self.is_large and is_refusal else gap).next_search()

    def next_attempt(self) -> "Cursor":
        """The first search of the next attempt."""
        return Cursor(attempt=self.attempt + 1, is_large=self.is_large)

    def short(self) -> "Cursor":
        """This search marked as broken off before its end."""
        return replace(self._unfinished(), stopped_short=True)

    def lacking(self, gap: str) -> "Cursor":
        """This search with this gap. The first gap is kept, unless trying again would not close it but may close this
        one: then this one replaces it."""
        is_graver = self.lacks in SyncStep.SETTLED and gap not in SyncStep.SETTLED
        return replace(self._unfinished(), lacks=gap if is_graver or not self.lacks else self.lacks)

    def again(self) -> "Cursor":
        """The same search from its first page."""
        return replace(self, next_url=None, mark=None, is_again=True, rounds=Rounds(), stretch=Stretch(), company=0)

    def again_in_few(self) -> "Cursor":
        """The same search from its first page, with few rows a page."""
        return replace(self.again(), is_again=self.is_again, in_few=True, is_large=True)

    def again_to_clear(self, unclear: Unclear) -> "Cursor":
        """The first page of the same search once more, only for what it counts: all its rows have been received."""
        return replace(self, next_url=None, unclear=unclear)

    def again_for_everything(self) -> "Cursor":
        """The same search, including what did not change."""
        return replace(self, for_everything=True)

    def next_search(self) -> "Cursor":
        """The search after this one."""
        return Cursor(
            self.search + 1,
            stopped_short=self.stopped_short,
            attempt=self.attempt,
            lacks=self.lacks,
            unfinished=self.unfinished,
        )

    def _unfinished(self) -> "Cursor":
        return replace(self, unfinished=tuple(dict.fromkeys((*self.unfinished, self.search))))


def _print_of(rows: Iterable[Resource]) -> str:
    """A digest of their types and ids; empty if there are no rows."""
    names = "\n".join(f"{row.resource_type}/{row.logical_id}" for row in rows)
    return hashlib.sha256(names.encode()).hexdigest() if names else ""


def sealed(cursor: Cursor, step: SyncStep, ring: KeyRing) -> bytes:
    """For `SyncStep.sealed_cursor`."""
    return ring.seal(json.dumps(astuple(cursor)).encode(), place=_place(step))


def opened(step: SyncStep, ring: KeyRing) -> Cursor:
    """The cursor of a step; the first search if none was stored."""
    if step.sealed_cursor is None:
        return Cursor()
    written = json.loads(ring.open(bytes(step.sealed_cursor), place=_place(step)))
    found = Cursor(*written[: len(fields(Cursor))])  # a later release may write more fields, and be rolled back
    if not found.unfinished and (found.lacks or found.stopped_short):  # from a release before `unfinished`
        return replace(found, unfinished=tuple(range(found.search + 1)))
    rounds, stretch = Rounds(*found.rounds), Stretch(*found.stretch)
    return replace(found, unfinished=tuple(found.unfinished), rounds=rounds, stretch=stretch)


def _place(step: SyncStep) -> Place:
    return places.cursor_place(run_id=step.run_id, resource_type=step.resource_type)
