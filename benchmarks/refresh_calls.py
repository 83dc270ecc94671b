"""Measures refreshing many links, four at a time, against pooled posts that each commit one row.

A refresh is measured from its claim to its tokens stored: claimed as a worker claims, a quarter of its hands at once,
and each by itself, as for a reader who needs a token now. What chooses them, and the queue, are left out
(`refresh_days`).
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from threading import local
from typing import TypeVar

import requests
from django.db import connection as database
from django.utils import timezone

from apps.connections.models import Connection
from apps.connections.refreshing import attempting, claiming, running
from apps.connections.refreshing.claiming import Claim
from benchmarks import links, providers
from benchmarks.figure import ratio, say
from benchmarks.memory import forget_peak, peak_mb

_LINKS = 80
_AT_ONCE = 4
_LATENCY_MS = 50
_THREAD = local()

T = TypeVar("T")


def main(refreshes: str) -> None:
    """One line of JSON: the ratio, processor time of one refresh and of one bare post, and how memory grew over so many
    refreshes after the first rounds."""
    now = timezone.now()
    days = iter(range(1, 1_000_000))

    def at_next() -> datetime:
        return now + timedelta(seconds=10 * next(days))  # nothing keeps anybody away any more

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        with database.cursor() as cursor:
            cursor.execute("CREATE TABLE bare_tokens (id serial PRIMARY KEY, token text)")
        with providers.starting("stub_provider", _LATENCY_MS) as origin:
            connections = links.make(origin, _LINKS, at=now)

            def ours() -> None:
                _each(pool, partial(_attempt, at=at_next()), _claimed(connections, at=at_next()))

            def alone() -> None:
                _each(pool, partial(_refresh, at=at_next()), connections)

            def bare() -> None:
                _each(pool, lambda _one: _post_and_commit(f"{origin}/token"), connections)

            ours()
            bare()
            used = {"processor_ms": _processor_ms(ours), "bare_processor_ms": _processor_ms(bare)}
            found = {"to_bare_post": ratio(ours, bare), "alone_to_bare_post": ratio(alone, bare)}
        grown = _growth_mb(pool, int(refreshes), at_next)
    print(json.dumps({**found, **used, "memory_growth_mb": grown}))


def _growth_mb(pool: ThreadPoolExecutor, refreshes: int, at_next: Callable[[], datetime]) -> float:
    """At a provider that answers at once."""
    with providers.starting("stub_provider", 0) as origin:
        connections = links.make(origin, _LINKS, at=timezone.now())
        for number in range(5 + refreshes // _LINKS):
            if number == 5:
                forget_peak()
                before_mb = peak_mb()
            say(f"memory: {max(0, number - 5) * _LINKS} of {refreshes} refreshes")
            _each(pool, partial(_refresh, at=at_next()), connections)
    return peak_mb() - before_mb


def _processor_ms(work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000 / _LINKS


def _each(pool: ThreadPoolExecutor, work: Callable[[T], object], things: Iterable[T]) -> None:
    for working in [pool.submit(work, thing) for thing in things]:  # the first begin while others are being claimed
        working.result()


def _claimed(connections: Sequence[Connection], *, at: datetime) -> Iterator[Claim]:
    """As many by each statement as are free together in a worker (`running`)."""
    together = running.HANDS // 4
    for first in range(0, len(connections), together):
        yield from claiming.claim([connection.pk for connection in connections[first : first + together]], at=at)


def _refresh(connection: Connection, *, at: datetime) -> None:
    (claim,) = claiming.claim([connection.pk], at=at)
    _attempt(claim, at=at)


def _attempt(claim: Claim, *, at: datetime) -> None:
    result = attempting.attempt(claim, clock=lambda: at)
    if result.outcome is not attempting.Outcome.REFRESHED:
        raise RuntimeError(result.outcome)


def _post_and_commit(url: str) -> None:
    session: requests.Session = _THREAD.__dict__.setdefault("session", requests.Session())
    session.trust_env = False
    form = {"grant_type": "refresh_token", "refresh_token": "r" * 400, "client_id": "bench", "client_secret": "bench"}
    tokens = session.post(url, params=form, timeout=10).json()
    with database.cursor() as cursor:
        cursor.execute("INSERT INTO bare_tokens (token) VALUES (%s)", [json.dumps(tokens)])
