"""Copies of one person's record by workers that are killed with SIGKILL, at random moments, again and again.

What counts is what the provider saw and what is there at the end: whether each copy is complete, and of how many pages
of one type one kill made somebody ask twice.
"""

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone

from apps.connections.models import Connection
from apps.records import syncing
from apps.records.models import Record, SyncRun, SyncStep
from benchmarks import links, providers
from benchmarks.counting_provider import told, type_of
from benchmarks.figure import say

_LATENCY_MS = 15
_SEED = 6
# Of the time that a worker has between two kills, if they were spread evenly: so the last one comes before the end.
_SOONER = 1.4
_SETTLES_SECONDS = 0.05  # a request that a dead worker sent may be seen a little later

Life = Sequence[str]  # what one worker asked for, until it was killed


def main(runs_given: str, rows_given: str, kills_given: str) -> None:
    """One line of JSON: how many copies were not complete, how many rows are missing, and the most pages of one type
    that one kill cost."""
    runs, rows, kills = int(runs_given), int(rows_given), int(kills_given)
    chance = random.Random(_SEED)
    found = {"not_complete": 0, "rows_missing": 0, "pages_twice": 0, "seconds": 0.0}
    with providers.starting("counting_provider", rows, _LATENCY_MS) as origin:
        *waiting, first = links.make(origin, 3 * runs + 1, at=timezone.now())
        began = time.monotonic()
        _live(_open(first), killed_after=None)
        found["seconds"] = time.monotonic() - began
        done = 0
        while done < runs:
            say(f"copy {done + 1} of {runs}")
            connection = waiting.pop()
            run = _open(connection)
            lives = _lives(run, origin, kills=kills, chance=chance, seconds=found["seconds"])
            if len(lives) <= kills:  # it was done before it was killed as often
                continue
            done += 1
            found["not_complete"] += not _is_complete(run)
            found["rows_missing"] += rows + 1 - Record.objects.filter(connection=connection).count()
            found["pages_twice"] = max(found["pages_twice"], _most_asked_again(lives))
    print(json.dumps(found))


def _lives(run: SyncRun, origin: str, *, kills: int, chance: random.Random, seconds: float) -> list[Life]:
    """What each worker asked for, of which the last one was not killed; fewer where the run ended too soon."""
    longest = _SOONER * seconds / (kills + 1)
    told(origin)
    lives: list[Life] = []
    for _kill in range(kills):
        if not _live(run, killed_after=chance.uniform(0, longest)):
            return lives
        time.sleep(_SETTLES_SECONDS)
        lives.append(told(origin))
        # The lease of the dead is over; its claim stays on the row, by which its death is counted.
        SyncRun.objects.filter(pk=run.pk).update(lease_until=Now() - timedelta(seconds=1))
    _live(run, killed_after=None)
    return [*lives, told(origin)]


def _live(run: SyncRun, *, killed_after: float | None) -> bool:
    """A worker in a process of its own; whether it was killed rather than done."""
    connections.close_all()
    worker = os.fork()
    if worker == 0:
        _work(run)
    if killed_after is not None:
        time.sleep(killed_after)
        os.kill(worker, signal.SIGKILL)
    _pid, status = os.waitpid(worker, 0)
    return os.WIFSIGNALED(status)


def _work(run: SyncRun) -> None:
    """To the end of the run, in slices, and of the process."""
    code = 1
    try:
        while not SyncRun.objects.filter(pk=run.pk, finished_at__isnull=False).exists():
            syncing.advance(run.pk, at=timezone.now())
        code = 0
    finally:
        os._exit(code)


def _most_asked_again(lives: Sequence[Life]) -> int:
    """Of how many pages of one type a later worker asked what one that was killed had asked for."""
    most = 0
    for number, life in enumerate(lives):
        later = {address for other in lives[number + 1 :] for address in other}
        again = Counter(type_of(address) for address in set(life) & later if type_of(address))
        within = Counter(type_of(address) for address, times in Counter(life).items() if times > 1)
        most = max([most, *again.values(), *within.values()])
    return most


def _is_complete(run: SyncRun) -> bool:
    run.refresh_from_db()
    open_shelves = SyncStep.objects.filter(run=run, needs_shelf=True)
    return run.outcome == SyncRun.Outcome.COMPLETE and not open_shelves.exists()


def _open(connection: Connection) -> SyncRun:
    return syncing.start(connection, cause=SyncRun.Cause.PATIENT, at=timezone.now())
