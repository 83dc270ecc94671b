"""One reading of all metrics, kept for a moment: however often somebody asks, the database is asked seldom."""

import time
from collections.abc import Callable
from datetime import datetime
from threading import Lock

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

__all__ = ["CONTENT_TYPE_LATEST", "Readings"]

_SHORTEST_SECONDS = 5.0
_SHARE = 20  # of the time, one part is spent on asking: with ever more links readings get older, and cost no more


class Readings:
    """Of this process, in its memory: where Redis is down, that is when somebody needs to read. One thread asks; others
    wait for its answer. `kinds` make what is asked, each at the moment of a reading."""

    def __init__(self, *kinds: Callable[[datetime], Collector]) -> None:
        self._kinds = kinds
        self._lock = Lock()
        self._latest = b""
        self._fresh_until = 0.0

    def read(self, *, clock: Callable[[], datetime]) -> bytes:
        """In the text format that Prometheus reads, at most a moment old."""
        with self._lock:
            began = time.monotonic()
            if began >= self._fresh_until:
                at = clock()
                registry = CollectorRegistry(auto_describe=False)
                for kind in self._kinds:
                    registry.register(kind(at))
                self._latest = generate_latest(registry)
                ended = time.monotonic()
                self._fresh_until = ended + max(_SHORTEST_SECONDS, (ended - began) * _SHARE)
            return self._latest

    def forget(self) -> None:
        """Ask anew next time."""
        with self._lock:
            self._fresh_until = 0.0
