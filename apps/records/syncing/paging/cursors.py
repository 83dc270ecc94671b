"""Cursors: where a step goes on. One is made after each page, and sealed and stored together with the rows of that
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

_MOST_ALIKE: Final = 10  # pages of the same rows after one of them
# Pages in a row on which nothing is. Some servers cut pages first and take out what this patient may not see then: so
# many of 25 rows (interface facts 1.4) are 2,500 rows withheld in one piece.
_MOST_EMPTY: Final = 100


class Unclear(StrEnum):
    """What nobody can tell at the end of a search before its first page is asked for once more, in another way."""

    NOTHING = ""
    WHETHER_COMPANY_COUNTS = "company"  # asked without what comes along
    WHETHER_PAGES_ARE_COUNTED = "pages"  # asked with few rows a page


@dataclass(frozen=True)
class Cursor:
    """Which of the type's searches, and the link to its next page (None: its first).

    `mark` is a link passed before. It moves on at the second, fourth, eighth page, and so on: links that run in a
    circle, however long, come back to it, and nobody has to remember them all (Brent's way to find a cycle).
    `stopped_short`: a search was broken off before its end. `attempt`: which of the sets of searches is asked. `lacks`
    is the gap of a search that ended early while others of the type went on (`lacking`).

    `page` is a print of which rows the last page held, and `alike` how many pages in a row held the same, or none: a
    server that answers with its last page for ever makes a new link each time. `rounds` finds the same of several
    pages, and of one as well, but perhaps only after as many pages again as came before it.

    `unfinished` are the searches of the attempt that did not come to their end, whatever the reason.

    `is_large`: it was answered, and with more than an answer may be, in this attempt or the one before.

    Of the search at hand, `is_again` says that it was begun a second time, `in_few` that it asks for few rows a page,
    `for_everything` that its check for changes was refused, and `counted` what the step had counted before it.
    `company` are the rows of other types that came along with it. Where something is `unclear`, all of it came, and
    what its first page counts in another way is asked for.
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
        """Where to go on after a page with this link and these rows, with which the step has got so many pages."""
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
        """With the next search, after this one ended early for that reason. What was too large and is not given in
        parts is neither withheld nor unknown to its provider."""
        is_refusal = gap in {*SyncStep.SETTLED, SyncStep.Gap.REFUSED}
        return self.lacking(SyncStep.Gap.TOO_MUCH if self.is_large and is_refusal else gap).next_search()

    def next_attempt(self) -> "Cursor":
        """At the beginning of the next set of searches."""
        return Cursor(attempt=self.attempt + 1, is_large=self.is_large)

    def short(self) -> "Cursor":
        """With this search broken off before its end."""
        return replace(self._unfinished(), stopped_short=True)

    def lacking(self, gap: str) -> "Cursor":
        """With this gap of the search as well. The first counts, but one that trying again may close is hidden by none
        that it would not."""
        is_graver = self.lacks in SyncStep.SETTLED and gap not in SyncStep.SETTLED
        return replace(self._unfinished(), lacks=gap if is_graver or not self.lacks else self.lacks)

    def again(self) -> "Cursor":
        """With the first page of the same search."""
        return replace(self, next_url=None, mark=None, is_again=True, rounds=Rounds(), stretch=Stretch(), company=0)

    def again_in_few(self) -> "Cursor":
        """The same, with few rows a page."""
        return replace(self.again(), is_again=self.is_again, in_few=True, is_large=True)

    def again_to_clear(self, unclear: Unclear) -> "Cursor":
        """With its first page, for what that counts: its rows all came."""
        return replace(self, next_url=None, unclear=unclear)

    def again_for_everything(self) -> "Cursor":
        """The same, with what did not change."""
        return replace(self, for_everything=True)

    def next_search(self) -> "Cursor":
        """With the search after this one."""
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
    """Of their types and ids; empty where there are none."""
    names = "\n".join(f"{row.resource_type}/{row.logical_id}" for row in rows)
    return hashlib.sha256(names.encode()).hexdigest() if names else ""


def sealed(cursor: Cursor, step: SyncStep, ring: KeyRing) -> bytes:
    """For `SyncStep.sealed_cursor`."""
    return ring.seal(json.dumps(astuple(cursor)).encode(), place=_place(step))


def opened(step: SyncStep, ring: KeyRing) -> Cursor:
    """The cursor of a step; the beginning where nothing was stored yet."""
    if step.sealed_cursor is None:
        return Cursor()
    written = json.loads(ring.open(bytes(step.sealed_cursor), place=_place(step)))
    found = Cursor(*written[: len(fields(Cursor))])  # a later release may write more, and be taken back
    if not found.unfinished and (found.lacks or found.stopped_short):  # of an earlier release, which did not tell
        return replace(found, unfinished=tuple(range(found.search + 1)))
    rounds, stretch = Rounds(*found.rounds), Stretch(*found.stretch)
    return replace(found, unfinished=tuple(found.unfinished), rounds=rounds, stretch=stretch)


def _place(step: SyncStep) -> Place:
    return places.cursor_place(run_id=step.run_id, resource_type=step.resource_type)
