"""One worker process refreshing what is due: it takes no more links than it has free hands, until nothing is due.

A message says that something may be due, not what. A process handles one message at a time, with its own hands (threads
that wait for remote servers), and calls other processes for help while all its hands are busy. So an idle system makes
one query a minute, and under load all workers are busy within a minute. A run ends before the next beat, and calls for
another if something is left.

Before a deployment a worker is told to stop: it takes nothing more and finishes what it has, which takes seconds. A
worker that is killed loses only its leases; its links are refreshed again once these have expired.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime
from queue import SimpleQueue
from threading import Condition, Event, Lock, Thread
from types import TracebackType
from typing import Self
from uuid import UUID

from django.db import connections

from apps.connections.refreshing import budgeting, choosing, doubting, fault_isolation, parking
from apps.connections.refreshing.claiming import Claim
from apps.connections.refreshing.results import Outcome

_LOG = logging.getLogger(__name__)

HANDS = 16
PULL_SECONDS = 50.0  # then another run continues, so that a deployment never waits long
_PAUSE_SECONDS = 1.0  # while the rest waits for its budget, which is handed out by the second
_REST_SECONDS = 5.0  # if nothing at all could be taken
_HELP_SECONDS = 5.0  # between two calls for help from other processes

_PULLING = Lock()
_STOPPING = Event()


def stop() -> None:
    """Take nothing more in this process, ever: it is about to end."""
    _STOPPING.set()


def _to_nobody(_claim: Claim, _outcome: Outcome | None) -> None:
    """Nobody wants the result of each."""


def pull(
    *,
    clock: Callable[[], datetime],
    call_for_help: Callable[[], None],
    seconds: float = PULL_SECONDS,
    tell: Callable[[Claim, Outcome | None], None] = _to_nobody,
) -> int:
    """Refresh what is due, for at most `seconds` plus the calls in progress. Returns how many links were taken.

    Does nothing if this process is already doing so, or is about to end. `call_for_help` is called now and then while
    all hands are busy, and at the end if something is left. `tell` gets each link's outcome, one after the other: None
    if the attempt broke off.
    """
    if not _PULLING.acquire(blocking=False):
        return 0
    try:
        with _Hands(HANDS, clock, tell) as hands:
            number, is_left = _pull(hands, clock, call_for_help, ends_at=time.monotonic() + seconds)
    finally:
        _PULLING.release()
    if is_left:  # only now: another thread of this process might get the message, and would do nothing
        call_for_help()
    return number


def _pull(
    hands: "_Hands", clock: Callable[[], datetime], call_for_help: Callable[[], None], *, ends_at: float
) -> tuple[int, bool]:
    """How many were taken, and whether there may be more."""
    number, help_at = 0, 0.0
    parking.return_parked(at=clock())
    doubting.hasten(at=clock())
    while not _STOPPING.is_set() and time.monotonic() < ends_at:
        free = hands.free
        taken = choosing.take(free, at=clock())
        for claim in taken.claims:
            hands.give(claim)
        number += len(taken.claims)
        budgeting.answered(hands.answered())
        if len(taken.claims) < free:
            if not taken.waits:
                return number, False
            _STOPPING.wait(_PAUSE_SECONDS if taken.claims else _REST_SECONDS)
            continue
        if time.monotonic() >= help_at:
            call_for_help()
            help_at = time.monotonic() + _HELP_SECONDS
        hands.wait_for_some()
    return number, True


class _Hands:
    """Threads that attempt what they are given, each with its own database connection while it lives."""

    def __init__(
        self, number: int, clock: Callable[[], datetime], tell: Callable[[Claim, Outcome | None], None]
    ) -> None:
        self.free = number
        self._number = number
        self._clock = clock
        self._tell = tell
        self._given: SimpleQueue[Claim | None] = SimpleQueue()
        self._answered: set[UUID] = set()
        self._changed = Condition()
        self._threads: list[Thread] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Wait for the attempts in progress."""
        for _thread in self._threads:
            self._given.put(None)
        for thread in self._threads:
            thread.join()
        budgeting.answered(self.answered())

    def give(self, claim: Claim) -> None:
        """Hand a claim to a free hand; a hand's thread is started when it is first needed."""
        with self._changed:
            self.free -= 1
            if len(self._threads) < self._number - self.free:
                thread = Thread(target=self._work, name="refreshing", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._given.put(claim)

    def wait_for_some(self) -> None:
        """Until a quarter of all hands are free: taking several links at once costs hardly more than taking one."""
        with self._changed:
            self._changed.wait_for(lambda: self.free >= self._number // 4, timeout=_REST_SECONDS)

    def answered(self) -> set[UUID]:
        """The registrations whose servers issued tokens since the last call."""
        with self._changed:
            answered, self._answered = self._answered, set()
        return answered

    def _work(self) -> None:
        try:
            while (claim := self._given.get()) is not None:
                self._attempt(claim)
        finally:
            connections.close_all()

    def _attempt(self, claim: Claim) -> None:
        outcome = None
        try:
            outcome = fault_isolation.attempt(claim, clock=self._clock).outcome
        except Exception:  # noqa: BLE001 - whatever it is, the other links go on, and the lease of this one runs out
            connections.close_all()  # it may have been the database
            _LOG.exception("A refresh broke off, and was not put off: connection %s", claim.connection.pk)
        with self._changed:
            self.free += 1
            self._tell(claim, outcome)
            if outcome is Outcome.REFRESHED:
                self._answered.add(claim.connection.registration_id)
            self._changed.notify()
