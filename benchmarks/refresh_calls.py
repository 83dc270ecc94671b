"""Measures refreshing many links, four at a time, against pooled posts that each commit one row."""

import json
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import local
from typing import TypeVar

import requests
from django.db import connection as database
from django.utils import timezone

from apps.connections import refreshing
from apps.connections.models import Connection
from benchmarks import links
from benchmarks.figure import ratio
from benchmarks.memory import forget_peak, peak_mb
from benchmarks.stub_provider import starting

_LINKS = 80
_AT_ONCE = 4
_LATENCY_MS = 50
_THREAD = local()

T = TypeVar("T")


def main() -> None:
    """One line of JSON: the ratio, processor time of one refresh, and how memory grew after the first round."""
    now = timezone.now()
    with starting(rows=0, latency_ms=_LATENCY_MS) as origin, ThreadPoolExecutor(_AT_ONCE) as pool:
        connections = links.make(origin, _LINKS, at=now)
        with database.cursor() as cursor:
            cursor.execute("CREATE TABLE bare_tokens (id serial PRIMARY KEY, token text)")
        days = iter(range(1, 1000))

        def ours() -> None:
            at = now + timedelta(hours=2 * next(days))  # the access tokens of the round before have ended
            _each(pool, lambda one: refreshing.usable_token(one, at=at), connections)

        def bare() -> None:
            _each(pool, lambda _one: _post_and_commit(f"{origin}/token"), connections)

        ours()
        bare()
        forget_peak()
        before_mb, before_seconds = peak_mb(), time.process_time()
        ours()
        used_ms = (time.process_time() - before_seconds) * 1000 / _LINKS
        found = ratio(ours, bare)
    print(json.dumps({"to_bare_post": found, "processor_ms": used_ms, "memory_growth_mb": peak_mb() - before_mb}))


def _each(pool: ThreadPoolExecutor, work: Callable[[Connection], T], connections: Iterable[Connection]) -> None:
    list(pool.map(work, connections))


def _post_and_commit(url: str) -> None:
    session: requests.Session = _THREAD.__dict__.setdefault("session", requests.Session())
    session.trust_env = False
    form = {"grant_type": "refresh_token", "refresh_token": "r" * 400, "client_id": "bench", "client_secret": "bench"}
    tokens = session.post(url, params=form, timeout=10).json()
    with database.cursor() as cursor:
        cursor.execute("INSERT INTO bare_tokens (token) VALUES (%s)", [json.dumps(tokens)])
