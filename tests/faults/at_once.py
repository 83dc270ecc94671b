"""Run things at the same moment, each in a thread with its own database connection."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from django.db import connection as database
from django.db import connections

T = TypeVar("T")


def together(*calls: Callable[[], T]) -> list[Future[T]]:
    """Starts them all when the last one is ready; returns when all have ended. A future holds what one raised."""
    ready = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        try:
            database.ensure_connection()
            ready.wait(10)
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [pool.submit(run, call) for call in calls]


def results(futures: Sequence[Future[T]]) -> list[T]:
    """What each gave back; raises what one raised."""
    return [future.result() for future in futures]
