"""The demo's four programs, each with a log of its own: sandbox, site, worker, schedule."""

import contextlib
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

from config import env
from config.celery import QUEUES
from development import gunicorn, ports, processes
from development.demo.failing import CannotRun

_START_SECONDS = 90
_STOP_SECONDS = 10


@contextlib.contextmanager
def running() -> Iterator["Programs"]:
    """The programs started within the block; all of them are stopped after it, the last one first."""
    programs = Programs(env.local_folder())
    try:
        yield programs
    finally:
        programs.stop()


class Programs:
    """What runs now."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._logs = folder / "logs"
        self._logs.mkdir(parents=True, exist_ok=True)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start_sandbox(self) -> None:
        """Start it, and wait until it answers."""
        self._start("sandbox", gunicorn.sandbox(env.sandbox_port()), settings="config.settings.sandbox")
        self._wait_for("sandbox", f"http://{ports.LOOPBACK}:{env.sandbox_port()}/control/state")

    def start_site(self) -> None:
        """Start site, worker and schedule, and wait until the site answers."""
        celery = (sys.executable, "-m", "celery", "--app", "config.celery")
        queues = sorted({"default", *(route["queue"] for route in QUEUES.values())})
        self._start("site", gunicorn.site(env.site_port()))
        self._start("worker", (*celery, "worker", "--queues", ",".join(queues), "--without-mingle", "--without-gossip"))
        self._start("schedule", (*celery, "beat", "--schedule", str(self._folder / "schedule")))
        self._wait_for("site", f"http://{ports.LOOPBACK}:{env.site_port()}/health/")

    def wait(self) -> None:
        """Never returns: raises `CannotRun` when a program ends by itself."""
        while True:
            for name, process in self._processes.items():
                if process.poll() is not None:
                    raise self._died(name)
            time.sleep(0.5)

    def stop(self) -> None:
        """Ask all to stop, then wait for each."""
        for process in self._processes.values():
            if process.poll() is None:
                process.terminate()
        for process in reversed(self._processes.values()):
            processes.stop(process, patience_seconds=_STOP_SECONDS)
        self._processes.clear()

    def _start(self, name: str, command: Sequence[str], *, settings: str = "config.settings.local") -> None:
        log = self._logs / f"{name}.log"
        log.unlink(missing_ok=True)
        surroundings = {**os.environ, "DJANGO_SETTINGS_MODULE": settings}
        self._processes[name] = processes.start(command, environment=surroundings, folder=env.ROOT, log=log)

    def _wait_for(self, name: str, address: str) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._processes[name].poll() is not None:
                raise self._died(name)
            try:
                with urllib.request.urlopen(address, timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
        raise CannotRun(f"The {name} does not answer: see {self._logs / name}.log.")

    def _died(self, name: str) -> CannotRun:
        return CannotRun(f"The {name} has ended by itself: see {self._logs / name}.log.")
