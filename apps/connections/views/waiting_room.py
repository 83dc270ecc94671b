"""Limit how many threads of this process wait for providers at once, so that slow ones leave threads for everybody else
(a bulkhead).

A process has few threads (`config/gunicorn.py`), and a provider that does not answer blocks one: for ten seconds and
more if somebody leaves for it or comes back, and if they open a file of their record, for up to thirty per response and
more than a minute in all. Without a limit, eight such people would stop every page of the site, health checks included.
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
SEATS_FOR_ONE = 3  # for one endpoint or redirect URI: the last seat is for the others


class WaitingRoom:
    """Seats that are taken without waiting, or not at all."""

    def __init__(self, *, seats: int, seats_for_one: int) -> None:
        self._seats = seats
        self._seats_for_one = seats_for_one
        self._taken: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def seat(self, key: Hashable) -> Iterator[bool]:
        """Yields whether there was a free seat for this key; it is released after the block."""
        with self._lock:
            is_free = self._taken.total() < self._seats and self._taken[key] < self._seats_for_one
            self._taken[key] += is_free
        try:
            yield is_free
        finally:
            with self._lock:
                self._taken[key] -= is_free
                self._taken += Counter()  # removes keys without seats


ROOM = WaitingRoom(seats=SEATS, seats_for_one=SEATS_FOR_ONE)


def seat_to_ask(endpoint: Endpoint) -> AbstractContextManager[bool]:
    """A seat if the provider has to be asked for its addresses first. Leaving alone needs none."""
    if discovering.is_stale(endpoint, at=timezone.now()):
        return ROOM.seat(endpoint.pk)
    return nullcontext(enter_result=True)


def come_again(request: HttpRequest) -> HttpResponse:
    """Nothing was done: the page reloads the same URL, which it does not show."""
    response = render(request, "connections/come_again.html", status=503)
    response["Retry-After"] = response["Refresh"] = "3"
    return response
