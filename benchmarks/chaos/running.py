"""One run: links at three kinds of server, rounds of a day each in which everything breaks, and a verdict."""

import io
import random
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.core.management import call_command
from django.db import connection as database
from django.db.utils import Error

from apps.connections import refreshing
from apps.connections.models import Connection
from benchmarks import sandbox_links
from benchmarks.chaos import breaking, judging
from benchmarks.chaos.fleet import SKEW_SECONDS, Fleet
from benchmarks.chaos.judging import Kind
from benchmarks.chaos.servers import Servers
from benchmarks.figure import say
from benchmarks.sandbox_links import Link, Server
from development.control import Sandbox

DAY_SECONDS = 25 * 3600.0  # a little more, so that everything has fallen due
_LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Plan:
    """How much of it. `settle_seconds`: how long a round may take to end once nothing breaks any more."""

    links: int
    rounds: int
    break_seconds: float
    settle_seconds: float
    seed: int


def run(plan: Plan, *, sandbox: Sandbox, directory: Path, servers: Servers, fleet: Fleet) -> dict[str, float]:
    """Our clocks are a minute ahead of the provider's and the database's, and a minute behind the next day.

    The verdict (`judging.verdict`), how often each thing was done, and how long it took to settle."""
    chance = random.Random(plan.seed)
    kinds = _ready(sandbox, directory, plan.links)
    in_doubt: set[UUID] = set()
    done: dict[str, int] = {}
    settled_seconds = 0.0

    def note() -> None:
        """Whatever is in hand now; where the database is away, it was noted before."""
        with suppress(Error):
            in_doubt.update(judging.in_hand())
        database.close()

    for number in range(1, plan.rounds + 1):
        sandbox.post("/control/clock", move_seconds=DAY_SECONDS)
        skew_seconds = SKEW_SECONDS if number % 2 else -SKEW_SECONDS
        fleet.start(shift_seconds=number * DAY_SECONDS + skew_seconds)
        say(f"round {number} of {plan.rounds}: breaking")
        broken = breaking.go_wrong(
            plan.break_seconds, fleet=fleet, servers=servers, sandbox=sandbox, chance=chance, note=note
        )
        done = {name: done.get(name, 0) + broken.get(name, 0) for name in {*done, *broken}}
        settled_seconds = max(settled_seconds, _settle(plan, kinds, fleet, number))
        if judging.left(kinds, number):
            break  # a day's leap would take from those that wait the minutes they have: the verdict counts them
    fleet.stop()
    found, lines = judging.verdict(kinds, rounds=plan.rounds, in_doubt=in_doubt)
    for line in lines:
        print(f"\n{line}", end="", file=sys.stderr, flush=True)
    return {**found, **{f"done: {name}": number for name, number in done.items()}, "settled_seconds": settled_seconds}


def _settle(plan: Plan, kinds: list[Kind], fleet: Fleet, number: int) -> float:
    """Wait until everything was refreshed and nothing is open; how long that took. Goes on when the time is over: the
    verdict will say what is left."""
    began = time.monotonic()
    while (taken := time.monotonic() - began) < plan.settle_seconds:
        fleet.mend()
        left = judging.left(kinds, number)
        say(f"round {number} of {plan.rounds}: {left} left")
        if not left:
            break
        time.sleep(_LOOK_SECONDS)
    return taken


def _ready(sandbox: Sandbox, directory: Path, number: int) -> list[Kind]:
    """Half of the links where the last token may be repeated, a twentieth where nothing may, the rest where a token
    stays. All of them have a floor of a minute."""
    call_command("import_endpoints", directory, stdout=io.StringIO())
    at = datetime.fromisoformat(sandbox.get("/control/clock")["now"])
    repeating = {"rotation": "on", "rotation_grace": "120"}
    a, b = sandbox_links.patient_access, sandbox_links.smart
    servers = (
        ("repeats", a(sandbox, version="r4", at=at, switches=repeating, minimum_refresh_seconds=60), number // 2),
        (
            "strict",
            a(sandbox, version="dstu2", at=at, switches={"rotation": "on"}, minimum_refresh_seconds=60),
            number // 20,
        ),
        ("stays", b(sandbox, at=at, switches={}, idle_limit_days=2), number - number // 2 - number // 20),
    )
    return [
        Kind(name, server, _links(name, server, count, at), rotates=name != "stays", repeats=name == "repeats")
        for name, server, count in servers
    ]


def _links(name: str, server: Server, number: int, at: datetime) -> list[Link]:
    """One more is made and refreshed once, so that each server is known to rotate, or not to: until then an answer that
    got lost counts as one of a server that rotates."""
    links = []
    for link in sandbox_links.make(server, number + 1, at=at):
        links.append(link)
        if len(links) % 50 == 0:
            say(f"making links: {len(links)} of {number} ({name})")
    known = Connection.objects.get(pk=links.pop().connection_id)
    refreshing.usable_token(known, at=at + timedelta(hours=2))
    return links
