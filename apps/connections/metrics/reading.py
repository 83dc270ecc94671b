"""A reading of all metrics, cached for a moment: however often somebody reads, the database is queried seldom."""

import time
from collections.abc import Callable
from datetime import datetime
from threading import Lock

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

__all__ = ["CONTENT_TYPE_LATEST", "Readings"]

_SHORTEST_SECONDS = 5.0
_SHARE = 20  # at most 1/20 of the time is spent on queries: with more links, readings get older but cost no more


class Readings:
    """Cached in this process's memory, because metrics are most needed when Redis is down. One thread queries; others
    wait for its result. `kinds` make the collectors, given the time of the reading."""

    def __init__(self, *kinds: Callable[[datetime], Collector]) -> None:
        self._kinds = kinds
        self._lock = Lock()
        self._latest = b""
        self._fresh_until = 0.0

    def read(self, *, clock: Callable[[], datetime]) -> bytes:
        """The metrics in Prometheus' text format, a moment old at most."""
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
        """Query again next time."""
        with self._lock:
            self._fresh_until = 0.0
