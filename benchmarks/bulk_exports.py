"""Measures exporting a group into a folder against a bare program that streams the same files onto the same disk; and
exports that are killed with SIGKILL, again and again."""

import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import requests
from django.db import connections
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import bulk_exporting, credentials
from apps.directory.bulk_exporting import Means, Wish
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, SystemAccount
from apps.wire.secret import Secret
from benchmarks import bulk_provider, providers
from benchmarks.figure import say
from benchmarks.memory import forget_peak, peak_mb

_ACTOR = Actor.system("bench")
_PIECE_BYTES = 262_144
_SEED = 7
_SOONER = 1.2  # of the time between two kills, if they were spread evenly: so the last one comes before the end


def main(rows_given: str, tries_given: str, kills_given: str) -> None:
    """One line of JSON: how memory grew over what it was before; after so many tries the ratio to the bare program; and
    after so many kills of one more export what is missing, what is there twice, and how much was asked for again."""
    rows, tries, kills = int(rows_given), int(tries_given), int(kills_given)
    with providers.starting("bulk_provider", rows) as origin, tempfile.TemporaryDirectory() as folder:
        endpoint = _endpoint(origin, at=timezone.now())
        forget_peak()
        idle_mb = peak_mb()
        took = _export(endpoint, Path(folder) / "first")
        found = {"grown_mb": peak_mb() - idle_mb, "seconds": took}
        if tries:
            found["to_bare"] = statistics.median(
                _export(endpoint, Path(folder) / f"ours-{number}") / _bare(origin, Path(folder) / f"bare-{number}")
                for number in range(tries)
            )
        if kills:
            found |= _killed(endpoint, origin, Path(folder) / "killed", rows=rows, kills=kills, seconds=took)
    print(json.dumps(found))


def _export(endpoint: Endpoint, folder: Path) -> float:
    """Seconds that it takes."""
    say(f"exporting into {folder.name}")
    os.sync()  # what somebody else has left to the disk is not ours to wait for
    began = time.perf_counter()
    bulk_exporting.export(endpoint, _wish(endpoint), folder, actor=_ACTOR, means=_means())
    return time.perf_counter() - began


def _bare(origin: str, folder: Path) -> float:
    """Seconds that the files take which are only streamed onto the disk."""
    say(f"streaming into {folder.name}")
    folder.mkdir()
    os.sync()
    began = time.perf_counter()
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Accept-Encoding"] = "identity"
        for number, url in enumerate(bulk_provider.listed(origin)):
            with session.get(url, stream=True, timeout=60) as answer, (folder / str(number)).open("wb") as file:
                for piece in answer.iter_content(_PIECE_BYTES):
                    file.write(piece)
    return time.perf_counter() - began


def _killed(
    endpoint: Endpoint, origin: str, folder: Path, *, rows: int, kills: int, seconds: float
) -> dict[str, float]:
    """What became of an export that was killed so often, before it was let end."""
    chance = random.Random(_SEED)
    bulk_provider.told(origin)
    happened = 0
    for number in range(kills):
        say(f"kill {number + 1} of {kills}")
        happened += _live(endpoint, folder, killed_after=chance.uniform(0.2, 1) * _SOONER * seconds / (kills + 1))
    _live(endpoint, folder, killed_after=None)
    seen = Counter(
        line.split(b'"id": "', 1)[1].partition(b'"')[0]
        for path in folder.glob("*.ndjson")
        for line in path.read_bytes().splitlines()
    )
    begun = Counter(name for name, start in bulk_provider.told(origin) if start == 0)
    return {
        "kills": happened,
        "missing": rows - len(seen),
        "twice": sum(seen.values()) - len(seen),
        "begun_again": sum(begun.values()) - len(begun),
    }


def _live(endpoint: Endpoint, folder: Path, *, killed_after: float | None) -> bool:
    """An export in a process of its own; whether it was killed rather than done."""
    connections.close_all()
    sys.stdout.flush()
    exporter = os.fork()
    if exporter == 0:
        code = 1
        try:
            bulk_exporting.export(endpoint, _wish(endpoint), folder, actor=_ACTOR, means=_means())
            code = 0
        finally:
            os._exit(code)
    if killed_after is not None:
        time.sleep(killed_after)
        os.kill(exporter, signal.SIGKILL)
    _pid, status = os.waitpid(exporter, 0)
    if killed_after is None and status:
        raise RuntimeError("The export did not end well.")
    return os.WIFSIGNALED(status)


def _wish(endpoint: Endpoint) -> Wish:
    return Wish(endpoint.fhir_base_url, bulk_provider.GROUP)


def _means() -> Means:
    return Means(clock=timezone.now, wait=time.sleep, say=lambda _line: None)


def _endpoint(origin: str, *, at: datetime) -> Endpoint:
    """An endpoint of the provider, where we have system access."""
    server = AuthorizationServer.objects.create(
        source="discovered", authorize_url=f"{origin}/authorize", token_url=f"{origin}/token", found_at=at
    )
    account = SystemAccount.objects.create(
        description="bench", account_id="bench", status="approved", requested_at=at, approved_at=at
    )
    registration = ClientRegistration.objects.create(
        authorization_server=server,
        label="bench",
        status="approved",
        client_id="bench",
        authentication="client_secret_basic",
        versions_added=["r4"],
        system_account=account,
    )
    credentials.keep(registration, Secret("bench"), at=at)
    return Endpoint.objects.create(
        authorization_server=server,
        fhir_base_url=f"{origin}/r4",
        fhir_version="r4",
        interface="smart",
        dialect="smart",
        imported_at=at,
        discovered_at=at,
    )
