"""A resource type fetched page by page, through each of the searches that cover it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from apps.records.models import SyncStep
from apps.records.syncing import gaps, planning, stepping, watermarks
from apps.records.syncing.fetching import Answer, Follow, Question, Search
from apps.records.syncing.paging import staged_pages
from apps.records.syncing.paging.cursors import Cursor, Unclear
from apps.records.syncing.paging.detecting_repeats import Stretch
from apps.records.syncing.stepping import Work
from apps.wire.errors import AccessRefused, Code, WireError
from apps.wire.fhir import Page, Resource
from apps.wire.resource_types import Parameters

Gap = SyncStep.Gap

_MOST_COUNTED = 2**31 - 1  # what the column can hold; a provider may count anything
# A server that forgets its links after a while says so with one of these, and starts anew if asked to. If a search's
# first page came, a refusal of its second page, or then of the first, does not mean that its rows are withheld from
# this patient.
_LINK_IS_GONE: Final = frozenset({400, 403, 404, 410})
# Rows may contain whole files, so a usual page of them can exceed the size limit of an answer.
_FEW: Final = ("_count", "5")
# Fewer rows are nobody's full page: this is the smallest page size known (interface facts 1.2).
_FEWEST_OF_A_FULL_PAGE: Final = 10
# Counters that are reset if a search begins again.
_COUNTED: Final = ("rows_got", "rows_refused", "rows_unreadable", "rows_counted")


class Searching:
    """One step's pages, one after the other: the next is requested when the last is stored or staged, so a worker that
    dies costs each type one page at most."""

    def __init__(self, step: SyncStep, work: Work) -> None:
        self.step = step
        self._work = work
        self._asking = stepping.asking(step)
        self._cursor = Cursor()
        self._rows: tuple[Resource, ...] | None = None  # received last and not stored yet
        self._is_staged = False
        self._is_asked = False

    def begin(self) -> None:
        """Continue at the stored cursor, with what was staged. Raises LeaseLost."""
        self._cursor, self._rows = stepping.begin(self.step, self._work)
        self.store()

    @property
    def is_done(self) -> bool:
        """Whether there is nothing more to ask."""
        return self._cursor.search >= len(self._searches)

    def next(self) -> Question | None:
        """What to ask now; None while an answer is awaited, or the last page could still be lost."""
        if self._is_asked or self.is_done or not (self._rows is None or self._is_staged):
            return None
        self._is_asked = True
        if self._cursor.next_url is not None:
            return Follow(self._cursor.next_url)
        parameters = self._searches[self._cursor.search]
        if self._cursor.for_everything:
            parameters = planning.for_everything(parameters)
        if self._cursor.unclear == Unclear.WHETHER_COMPANY_COUNTS:
            parameters = planning.for_rows_alone(parameters)
        in_few = self._cursor.in_few or self._cursor.unclear == Unclear.WHETHER_PAGES_ARE_COUNTED
        return Search(self.step.resource_type, (*parameters, _FEW) if in_few else parameters)

    def receive(self, _question: Question, answer: Answer) -> None:
        """Advance the cursor, so that `next` is the following question; the rows are kept for `store`."""
        assert isinstance(answer, Page)  # noqa: S101  # nosec B101 - only searches are asked here
        self._is_asked = False
        if self._cursor.unclear:
            self._rows = ()  # they are stored
            self._settle(answer)
        else:
            self._take(answer)

    def stage(self) -> None:
        """Stage the last page, so that `next` may follow it before it is stored. Raises LeaseLost."""
        if self._rows is not None and not self.is_done and staged_pages.is_small_enough(self._rows):
            stepping.stage(self.step, self._rows, cursor=self._cursor, work=self._work)
            self._is_staged = True

    def store(self) -> None:
        """Store the last page, and the cursor after it. Raises LeaseLost."""
        rows, self._rows = self._rows, None
        self._is_staged = False
        if rows is not None:
            stepping.store(self.step, rows, cursor=self._cursor, work=self._work)

    def refuse(self, question: Question, error: WireError) -> None:
        """Ask in another way if servers of this kind are known to want that, and again if the server forgot the link or
        its page was too large; otherwise go on with the next search, and report in the end what is missing."""
        self._is_asked = False
        stepping.note_refusal(self.step, error, self._work)
        cursor = self._cursor
        if cursor.unclear:
            self._settle(None)
        elif self._is_way_refused(question, error):
            self._cursor = cursor.next_attempt()
        elif self._is_check_refused(question, error):
            self._cursor = cursor.again_for_everything()
        elif error.code is Code.TOO_LARGE and not cursor.in_few:
            self._begin_again(cursor.again_in_few())
        elif error.status in _LINK_IS_GONE and (cursor.is_again or isinstance(question, Follow)):
            if cursor.is_again:
                self._cursor = cursor.short().next_search()
            else:
                self._begin_again(cursor.again())
        elif isinstance(question, Follow) and error.code is Code.REDIRECTED:  # elsewhere, where no token of ours goes
            self._cursor = cursor.short().next_search()
        else:
            self._cursor = cursor.past(gaps.reason(error))
        stepping.move_cursor(self.step, self._cursor, self._work)

    def close(self) -> None:
        """End the step, with the gravest gap. Raises LeaseLost."""
        if not any(planning.asks_for_changes(search) for search in self._searches):
            self.step.since_at = None
        self.step.rows_kept = stepping.rows_kept(self.step, self._work)  # different rows, as what follows compares
        gap, lacking = self._gap(), self._lacking()
        if self._do_searches_overlap():  # the sum of their counts is not the number of different rows
            self.step.rows_counted = None
        stepping.close(self.step, gap=gap, work=self._work, used=self._cursor.attempt, lacking=lacking)

    @property
    def _searches(self) -> tuple[Parameters, ...]:
        return self._asking.searches(self._cursor.attempt)

    def _is_first_answered(self) -> bool:
        """Whether no search before this one reached its end."""
        return set(range(self._cursor.search)) <= set(self._cursor.unfinished)

    def _is_shuffled(self, rows: Sequence[Resource]) -> bool:
        """Whether the search has stopped bringing anything new, including this page; all pages before it are stored."""
        step = self.step
        ids = [row.logical_id for row in rows if row.resource_type == step.resource_type]
        stretch = self._cursor.stretch.after(len(ids))
        self._cursor = replace(self._cursor, stretch=stretch)
        if not stretch.is_long:
            return False
        known = stepping.rows_kept(step, self._work) + stepping.count_new(step, ids, self._work)
        self._cursor = replace(self._cursor, stretch=Stretch(known))
        return stretch.is_shuffled(known=known)

    def _lacking(self) -> tuple[int, ...]:
        """The searches that alone must ask for everything again, if the others are complete as far as we can tell."""
        cursor, step = self._cursor, self.step
        is_part = 0 < len(cursor.unfinished) < len(self._searches) and cursor.lacks != Gap.TOO_MUCH
        is_in_doubt = step.rows_refused or step.rows_unreadable or not is_part or self._is_short()
        return () if is_in_doubt else cursor.unfinished

    def _begin_counting(self, total: int | None) -> None:
        """A search begins, perhaps again: remember what the step had counted before it."""
        step = self.step
        self._cursor = replace(self._cursor, counted={name: getattr(step, name) for name in _COUNTED})
        if total is not None:
            step.rows_counted = min((step.rows_counted or 0) + total, _MOST_COUNTED)

    def _correct_count(self, page: Page) -> None:
        """Replace the total of a search's first page by that of its last page, if the latter equals what came, as the
        first may be an estimate; or if it is greater."""
        step, came, counted = self.step, self._came(page), self._counted()
        if page.next_url is None and page.total is not None and (page.total == came < counted or page.total > counted):
            step.rows_counted = min((step.rows_counted or 0) - counted + page.total, _MOST_COUNTED)

    def _learn_what_is_counted(self, page: Page) -> None:
        """If a search of several pages brought as many rows as its first page counted, the provider counts whole
        searches: no single page has so many rows."""
        is_last = page.next_url is None and self._cursor.next_url is not None and self._rows_of_type(page) > 0
        if is_last and self._counted() == self._came(page):
            self._work.turn.counts_searches = True

    def _may_go_on(self, page: Page) -> bool:
        """Whether more may follow a page that nothing marks as the last. Not if the provider counted exactly what the
        whole search brought; but it may count page by page, and then a full page is not the end."""
        is_full = self._cursor.in_few and self._rows_of_type(page) >= int(_FEW[1])
        return page.may_go_on and (page.total != self._came(page) or is_full)

    def _take(self, page: Page) -> None:
        step = self.step
        self._rows = page.resources
        if self._cursor.next_url is None:
            self._begin_counting(page.total)
            if self._is_first_answered():
                step.watermark_at = watermarks.of_search(step, answered_at=page.answered_at)
        step.rows_unreadable += page.unreadable
        step.bytes_got += sum(len(resource.body) for resource in page.resources)
        self._correct_count(page)
        self._learn_what_is_counted(page)
        if page.is_cut or self._may_go_on(page):
            self._cursor = self._cursor.short()
        if page.failure is not None:
            self._cursor = self._cursor.lacking(gaps.reason(page.failure))
        if unclear := self._unclear(page):
            self._cursor = self._cursor.again_to_clear(unclear)
        else:
            self._go_on(page)

    def _go_on(self, page: Page) -> None:
        step, search = self.step, self._cursor.search
        company = self._cursor.company + len(page.resources) - self._rows_of_type(page)
        self._cursor = replace(self._cursor, company=company)
        self._cursor = self._cursor.after(page.next_url, pages=step.pages + 1, rows=page.resources)
        if self._cursor.search == search and self._is_shuffled(page.resources):
            self._cursor = self._cursor.short().next_search()
        if not self.is_done and stepping.is_too_much(step, self._work):
            self._cursor = Cursor(len(self._searches), attempt=self._cursor.attempt, lacks=Gap.TOO_MUCH)

    def _unclear(self, page: Page) -> Unclear:
        """What the search that ends with this page leaves unclear. Some servers also count rows that come along, so
        that none of the type is missing; and if links cannot be read, a count that equals what came may be that of a
        full page."""
        came, counted = self._came(page), self._counted()
        if page.next_url is not None or page.is_cut or page.failure is not None:
            return Unclear.NOTHING
        if page.may_go_on:
            is_first = self._cursor.next_url is None
            may_be_full = page.total == came >= _FEWEST_OF_A_FULL_PAGE and is_first and not self._cursor.in_few
            is_known = self._work.turn.counts_searches or not may_be_full
            return Unclear.NOTHING if is_known else Unclear.WHETHER_PAGES_ARE_COUNTED
        company = self._cursor.company + len(page.resources) - self._rows_of_type(page)
        may_count_it = planning.BROUGHT_BY in self._searches[self._cursor.search] and came < counted <= came + company
        return Unclear.WHETHER_COMPANY_COUNTS if may_count_it else Unclear.NOTHING

    def _settle(self, page: Page | None) -> None:
        """Go on with the next search, judging by what the first page counts in another way; without an answer, the
        doubt remains. If a request without company counts as many rows as came, all have come; likewise if a smaller
        page counts as many. A page with more rows than it counts proves nothing. Meanwhile another search may have
        shown that the provider counts whole searches."""
        cursor, came = self._cursor, self._stored()
        rows = self._rows_of_type(page) + page.unreadable if page else 0
        is_told = page is not None and page.failure is None and page.total == came >= rows
        if cursor.unclear == Unclear.WHETHER_COMPANY_COUNTS and is_told:
            self.step.rows_counted = (cursor.counted.get("rows_counted") or 0) + came
        elif cursor.unclear == Unclear.WHETHER_PAGES_ARE_COUNTED:
            is_whole = self._work.turn.counts_searches or (is_told and rows < came)
            cursor = cursor if is_whole else cursor.short()
        self._cursor = cursor.next_search()

    def _counted(self) -> int:
        """What the provider counted for this search."""
        return (self.step.rows_counted or 0) - (self._cursor.counted.get("rows_counted") or 0)

    def _came(self, page: Page) -> int:
        """The rows of this search so far, including this page; unreadable ones count."""
        return self._stored() + self._rows_of_type(page)

    def _stored(self) -> int:
        """The same without the last page."""
        step, before = self.step, self._cursor.counted
        return sum((getattr(step, name) or 0) - (before.get(name) or 0) for name in ("rows_got", "rows_unreadable"))

    def _rows_of_type(self, page: Page) -> int:
        return sum(row.resource_type == self.step.resource_type for row in page.resources)

    def _begin_again(self, cursor: Cursor) -> None:
        """Reset the counters: the rows of this search will come once more, and replace themselves."""
        for name, value in cursor.counted.items():
            setattr(self.step, name, value)
        self._cursor = cursor

    def _is_way_refused(self, question: Question, error: WireError) -> bool:
        """Whether this way of asking is refused, before anything of the type was answered. One search that is not
        shared says nothing about the way."""
        has_another = self._cursor.attempt + 1 < len(self._asking.attempts)
        return self._is_documented(question, error) and not self.step.pages and has_another

    def _is_check_refused(self, question: Question, error: WireError) -> bool:
        """Whether one search is refused only because it asks for changes. Some servers forbid parameters that they do
        not support: before the type is called not shared, everything is asked for."""
        asks = planning.asks_for_changes(self._searches[self._cursor.search]) and not self._cursor.for_everything
        is_forbidden = isinstance(question, Search) and isinstance(error, AccessRefused)
        return asks and (is_forbidden or self._is_documented(question, error))

    def _is_documented(self, question: Question, error: WireError) -> bool:
        """Whether the dialect wants to be asked in another way after this error (facts 2.16, 5.4)."""
        return isinstance(question, Search) and error.status in self._work.source.server.dialect.fallback_statuses

    def _gap(self) -> str:
        """The gap of the step. What did not come takes precedence over single rows that came and are not kept: the
        ledger names those as well."""
        step = self.step
        if self._cursor.stopped_short and self._cursor.lacks in SyncStep.SETTLED:
            return Gap.STOPPED_SHORT
        if self._cursor.lacks:  # if a type brings rows, a part of it is never "not offered"
            brings = step.rows_got or (step.since_at and len(self._cursor.unfinished) < len(self._searches))
            is_gone = self._cursor.lacks == Gap.NOT_OFFERED
            if is_gone and brings:
                return Gap.REFUSED
            return Gap.UNAVAILABLE if is_gone and self._should_be_there() else self._cursor.lacks
        if self._cursor.stopped_short or self._is_short():
            return Gap.STOPPED_SHORT
        if step.rows_refused:
            return Gap.OTHER_PATIENT
        return Gap.UNREADABLE if step.rows_unreadable else ""

    def _do_searches_overlap(self) -> bool:
        """Whether several searches brought the same rows, as those by category may."""
        step = self.step
        return len(self._searches) > 1 and step.rows_got > step.rows_kept + step.rows_refused

    def _should_be_there(self) -> bool:
        """Whether the server states that it offers the type, and has sent some: a route that is missing for a day must
        be asked for again."""
        return self._asking.is_stated and stepping.holds_any(self.step, self._work)

    def _is_short(self) -> bool:
        """Whether fewer rows came than the provider counted. Several searches may count one row twice, so then all rows
        received are compared."""
        step = self.step
        came = step.rows_kept + step.rows_refused if len(self._searches) == 1 else step.rows_got
        return step.rows_counted is not None and came + step.rows_unreadable < step.rows_counted
