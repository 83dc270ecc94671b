"""What the drill runs of the site: commands, a copy, the web process."""

import io
import os
import time
import urllib.error
import urllib.request
from datetime import datetime, timedelta
from pathlib import Path

from django.core.management import call_command

from apps.connections.models import Connection
from apps.records import syncing
from apps.records.models import SyncRun
from config import env
from development import gunicorn, ports, processes

_MOST_SLICES = 20
_START_SECONDS = 60


def quietly(*command: object) -> str:
    """Run a management command; returns what it printed."""
    said = io.StringIO()
    call_command(*map(str, command), stdout=said)
    return said.getvalue()


def copy(connection: Connection, *, at: datetime) -> None:
    """Copy the record of this link, from its beginning to its end."""
    run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=at)
    for number in range(_MOST_SLICES):
        syncing.advance(run.pk, at=at + timedelta(seconds=number))
        run.refresh_from_db()
        if run.finished_at is not None:
            return
    raise AssertionError("the copy does not end")


def starts(folder: Path) -> None:
    """Start the web process on the current database, wait until it is ready, then stop it."""
    process = processes.start(
        gunicorn.site(env.site_port()),
        environment={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.local"},
        folder=env.ROOT,
        log=folder / "site.log",
    )
    try:
        deadline = time.monotonic() + _START_SECONDS
        while not _is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("the site does not start")
            time.sleep(0.2)
    finally:
        processes.stop(process)


def _is_ready() -> bool:
    try:
        with urllib.request.urlopen(f"http://{ports.LOOPBACK}:{env.site_port()}/ready/", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
