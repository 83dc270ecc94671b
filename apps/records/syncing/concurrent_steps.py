"""Several steps at a time: as many requests in flight as the provider's dialect allows, and each answer stored as it
comes.

A type's next page is requested when its last one is stored. Where nothing else could be requested meanwhile, the last
page is staged first (`staged_pages`), and the next one requested while it is stored.

Only this thread touches rows; the others wait for the provider (`fetching`). What concerns every step, such as a 429,
stops new requests. What is in flight then is still received and stored, so that nothing is requested twice.
"""

from collections import deque
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Final, Protocol

from apps.connections.refreshing import NeedsReauthorization, NotYet, SwitchedOff
from apps.records.models import SyncStep
from apps.records.syncing import reporting_availability
from apps.records.syncing.fetching import Answer, PendingQuestion, Question
from apps.records.syncing.stepping import SliceOver, Work
from apps.records.syncing.workers import worker_deaths
from apps.wire.errors import AuthorizationExpired, ClientRejected, Throttled, Unavailable, WireError

# If this many types ended without any answer, and none with one, the server is down and not just slow at one query.
_SILENT_AT_MOST: Final = 4


class Stream(Protocol):
    """One step's questions and answers (`searching`, `reading`)."""

    step: SyncStep

    @property
    def is_done(self) -> bool:
        """Whether every question was answered."""

    def begin(self) -> None:
        """Called once, before the first question."""

    def next(self) -> Question | None:
        """A question to ask now, if there is one."""

    def receive(self, question: Question, answer: Answer) -> None:
        """Learn what to ask next."""

    def stage(self) -> None:
        """Keep an answer unprocessed, if that lets `next` go on before the answer is stored."""

    def store(self) -> None:
        """Store what was received."""

    def refuse(self, question: Question, error: WireError) -> None:
        """Learn that this question was refused or not answered."""

    def close(self) -> None:
        """End the step."""


class ConcurrentSteps:
    """Steps of one turn of a run that need not wait for each other."""

    def __init__(self, work: Work, streams: Iterable[Stream], *, gives_up: bool, stops_others: bool = True) -> None:
        """`gives_up`: a type that the provider cannot serve now becomes a gap instead of being tried again later.
        `stops_others`: if a step gets no answer at all, the others are assumed to get none, either."""
        self._work = work
        self._waiting = deque(streams)
        self._begun: list[Stream] = []
        self._delayed: list[Stream] = []
        self._under_way: dict[Future[Answer], tuple[Stream, PendingQuestion]] = {}
        self._gives_up = gives_up
        self._stops_others = stops_others
        self._stopped_by: Exception | None = None
        self.delayed: Unavailable | None = None
        self.has_stored = False

    def run(self) -> None:
        """Take every step as far as it goes. Steps that have to wait stay open, and `delayed` says why.

        Raises what concerns all steps alike, SliceOver if there is more to ask, and LeaseLost.
        """
        self._fill()
        while self._under_way:
            for future in wait(self._under_way, return_when=FIRST_COMPLETED).done:
                self._take(*self._under_way.pop(future))
            self._fill()
        if self._stopped_by is not None and (self._begun or self._waiting):
            raise self._stopped_by

    def _fill(self) -> None:
        while self._stopped_by is None and len(self._under_way) < self._work.source.parallel:
            found = self._next()
            if found is None:
                return
            stream, question = found
            try:
                asked = self._work.source.ask(question)
            except (WireError, NotYet, NeedsReauthorization, SwitchedOff) as error:
                self._stopped_by = error
            else:
                self._under_way[asked.future] = stream, asked

    def _next(self) -> tuple[Stream, Question] | None:
        """The next question of a step already begun; if there is none, begin the next step."""
        for stream in self._begun:
            question = stream.next()
            if question is not None:
                return stream, question
        while self._waiting:
            stream = self._waiting.popleft()
            stream.begin()
            self._begun.append(stream)
            question = stream.next()
            if question is not None:
                return stream, question
            self._close_if_done(stream)
        return None

    def _take(self, stream: Stream, asked: PendingQuestion) -> None:
        try:
            answer = self._work.source.answer(asked)
        except WireError as error:
            self._refuse(stream, asked.question, error)
        except (NotYet, NeedsReauthorization, SwitchedOff) as error:
            self._stopped_by = self._stopped_by or error
        else:
            stream.receive(asked.question, answer)
            self._stop_where_slice_is_over()
            self._fill()
            if not self._under_way and self._stopped_by is None:
                stream.stage()
                self._fill()
            stream.store()
            self.has_stored = True
        self._close_if_done(stream)
        self._release_if_delayed(stream)

    def _refuse(self, stream: Stream, question: Question, error: WireError) -> None:
        """Handle an error that concerns one type, all types, or only this moment. On the last try, an unanswered
        question counts against its type alone: one search may take longer than anybody waits for while the next one
        does not."""
        is_one_types = _is_silence(error) and not self._stops_others
        is_one_types = is_one_types or (self._gives_up and _is_silence(error) and self._speaks())
        if _is_for_all(error) and not is_one_types:
            self._stopped_by = self._stopped_by or error
        elif isinstance(error, Unavailable) and not self._gives_up:
            self.delayed = error
            if stream in self._begun:
                self._begun.remove(stream)
                self._delayed.append(stream)
        else:
            stream.refuse(question, error)
            self._stop_where_slice_is_over()

    def _speaks(self) -> bool:
        """Whether this run got any answer, or only a few of its types are known to get none: waiting for each of the
        others in turn would occupy a worker for minutes."""
        if self._work.source.was_answered or reporting_availability.was_answered_before(self._work):
            return True
        silent = self._work.run.steps.filter(gap=SyncStep.Gap.UNAVAILABLE, started_at__isnull=False)
        return silent.count() < _SILENT_AT_MOST

    def _stop_where_slice_is_over(self) -> None:
        if self._work.is_slice_over:
            self._stopped_by = self._stopped_by or SliceOver()

    def _close_if_done(self, stream: Stream) -> None:
        if stream.is_done and stream in self._begun:
            self._begun.remove(stream)
            stream.close()

    def _release_if_delayed(self, stream: Stream) -> None:
        """Release a step that has to wait once no other request of it is in flight: if something kills this worker
        afterwards, the step is not to blame."""
        is_under_way = any(other is stream for other, _asked in self._under_way.values())
        if stream in self._delayed and not is_under_way:
            worker_deaths.release(stream.step)


def _is_for_all(error: WireError) -> bool:
    """Whether this concerns the whole provider, or our standing there, rather than this one type."""
    if isinstance(error, Unavailable):
        return _is_silence(error) or isinstance(error, Throttled)
    return isinstance(error, AuthorizationExpired | ClientRejected)


def _is_silence(error: WireError) -> bool:
    return isinstance(error, Unavailable) and error.status is None and not isinstance(error, Throttled)
