"""Measures how often a link is refreshed that 16 processes want to use at the same moment, by the sandbox's own count.

In every round the clock is a minute on. There are 200 rounds, or as many as fit into SINGLE_FLIGHT_SECONDS, usually
seven minutes. Half of the links are at a server that rotates and lets nothing be repeated, half at one that refuses a
second refresh within a minute: two calls where one was due would end the link, or be refused.
"""

import io
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection as database

from apps.connections import refreshing
from apps.connections.models import Connection
from apps.wire.errors import WireError
from benchmarks import crowd, running_sandbox, sandbox_links
from benchmarks.crowd import Crowd
from benchmarks.figure import say
from benchmarks.sandbox_links import Link, Server
from development.control import Sandbox

PROCESSES, LINKS, ROUNDS = 16, 200, 200
SECONDS = float(os.environ.get("SINGLE_FLIGHT_SECONDS", "400"))
STEP_SECONDS = 61  # beyond the floor of a minute, and the life of an access token as told
_ROTATES = {"rotation": "on", "access_token_seconds": "60"}
_THROTTLES = {"refresh_throttle": "on", "smart_access_seconds": "90"}

Served = list[tuple[Server, list[Link]]]


def main() -> None:
    """One line of JSON: how many rounds fitted, and what `flown` found."""
    with running_sandbox.running() as (sandbox, directory):
        served = ready(sandbox, directory, LINKS)
        found = flown(sandbox, served, processes=PROCESSES, rounds=ROUNDS, seconds=SECONDS)
    print(json.dumps(found))


def ready(sandbox: Sandbox, directory: Path, number: int) -> Served:
    """The links, half of them at each server."""
    call_command("import_endpoints", directory, stdout=io.StringIO())
    at = _clock(sandbox)
    servers = (
        sandbox_links.patient_access(
            sandbox, version="r4", at=at, switches=_ROTATES, minimum_refresh_seconds=STEP_SECONDS - 1
        ),
        sandbox_links.smart(sandbox, at=at, switches=_THROTTLES),
    )
    return [(server, list(sandbox_links.make(server, number // 2, at=at))) for server in servers]


def flown(sandbox: Sandbox, served: Served, *, processes: int, rounds: int, seconds: float) -> dict[str, int]:
    """Let all of them ask for every link, round after round: so many `rounds`, or those begun within the time.

    `wrong`: links times rounds with no call or several. `at_once`: links of which two calls were under way. `refused`:
    calls the server refused. `apart`: links times rounds of which two processes got different tokens. `nobody`: those
    of which nobody got one. `soon`: links that were called within a minute.
    """
    ids = [str(link.connection_id) for _server, links in served for link in links]
    found = dict.fromkeys(("rounds", "wrong", "at_once", "refused", "apart", "nobody", "soon"), 0)
    until = time.monotonic() + seconds
    where = crowd.address(database.settings_dict)
    with Crowd("benchmarks.refresh_single_flight:use", number=processes, database_url=where) as everybody:
        while found["rounds"] < rounds and time.monotonic() < until:
            found["rounds"] += 1
            at = datetime.fromisoformat(sandbox.post("/control/clock", move_seconds=STEP_SECONDS)["now"])
            handed_out = everybody.ask((ids, at))
            for place in range(len(ids)):
                tokens = {tokens[place] for tokens in handed_out} - {None}
                found["apart"] += len(tokens) > 1
                found["nobody"] += not tokens
            found["wrong"] += sum(row["calls"] != found["rounds"] for row in _rows(served))
            say(f"round {found['rounds']} of {rounds}, {found['wrong']} wrong")
    for row in _rows(served):
        found["at_once"] += row["most_at_once"] != 1
        found["refused"] += row["refused"]
        found["soon"] += (row["shortest_seconds"] or STEP_SECONDS) < STEP_SECONDS - 1
    return found


def use(asked: tuple[Sequence[str], datetime]) -> list[str | None]:
    """What each process does: a fingerprint of the token it may use for each link, None where it has to wait."""
    ids, at = asked
    return [_used(connection, at) for connection in _connections(tuple(ids))]


def _used(connection: Connection, at: datetime) -> str | None:
    try:
        token = refreshing.usable_token(connection, at=at)
    except (refreshing.NotYet, refreshing.NeedsReauthorization, WireError):  # what was wrong, the sandbox has counted
        return None
    return token.fingerprint()


@cache
def _connections(ids: tuple[str, ...]) -> list[Connection]:
    """Read once: what may change of them, the engine reads itself."""
    rows = Connection.objects.select_related("endpoint__authorization_server", "registration__authorization_server")
    by_id = {str(row.pk): row for row in rows.filter(pk__in=ids)}
    return [by_id[one] for one in ids]


def _rows(served: Served) -> Iterator[Mapping[str, Any]]:
    for server, links in served:
        grants = server.grants()
        yield from (grants[link.grant] for link in links)


def _clock(sandbox: Sandbox) -> datetime:
    return datetime.fromisoformat(sandbox.get("/control/clock")["now"])
