"""How many threads of this process may wait for providers at once, so that a slow one leaves threads to everybody else.

A process has few threads (`config/gunicorn.py`), and a provider that does not answer holds one: for ten seconds and
more where somebody leaves for it or comes back, and where they open a file of their record, for up to thirty an answer
and a minute and more in all. Without a limit, eight such people would stop every page of the site, health checks
included.
"""

import threading
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.directory import discovering
from apps.directory.models import Endpoint

SEATS = 4  # of the 8 threads of a process
SEATS_FOR_ONE = 3  # for one endpoint, or one address that people come back to: the last seat is for the others


class WaitingRoom:
    """Seats that are taken without waiting, or not at all."""

    def __init__(self, *, seats: int, seats_for_one: int) -> None:
        self._seats = seats
        self._seats_for_one = seats_for_one
        self._taken: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def seat(self, key: Hashable) -> Iterator[bool]:
        """Whether there was a free seat for this key; it is free again after the block."""
        with self._lock:
            is_free = self._taken.total() < self._seats and self._taken[key] < self._seats_for_one
            self._taken[key] += is_free
        try:
            yield is_free
        finally:
            with self._lock:
                self._taken[key] -= is_free
                self._taken += Counter()  # keys without a seat are forgotten


ROOM = WaitingRoom(seats=SEATS, seats_for_one=SEATS_FOR_ONE)


def seat_to_ask(endpoint: Endpoint) -> AbstractContextManager[bool]:
    """A seat where the provider is asked before anybody leaves for it; nobody waits for one who only has to leave."""
    if discovering.is_stale(endpoint, at=timezone.now()):
        return ROOM.seat(endpoint.pk)
    return nullcontext(enter_result=True)


def come_again(request: HttpRequest) -> HttpResponse:
    """Nothing was looked at: the page asks for the same address again, which it does not show."""
    response = render(request, "connections/come_again.html", status=503)
    response["Retry-After"] = response["Refresh"] = "3"
    return response
