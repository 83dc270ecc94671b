"""`make demo CHECK=1`: starts a fresh demo of its own on private ports, walks through it, and says what it saw.

One line per step, then `demo: N steps passed, M failed`. The exit code is 1 if a step failed or the demo did not start.
"""

import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

from config import env
from development import ports, processes
from development.check.export import GroupExport
from development.check.journey import PRACTICE, TENANTS, Journey
from development.check.operator import Operator
from development.check.provider import Person, Place, Provider
from development.control import Sandbox
from development.servers import places

_START_SECONDS = 240
PERSON = Person("theo", "theo-pass-1")


def main() -> int:
    """Run the check. Data, ports and servers are its own: a demo that is already running is left alone."""
    with tempfile.TemporaryDirectory(prefix="holdfast-check-") as folder:
        Path(folder).chmod(0o711)  # the user Postgres runs as may have to pass
        local = Path(folder) / "local"
        site, sandbox = ports.free_port(), ports.free_port()
        log = Path(folder) / "demo.log"
        surroundings = {
            **{name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")},
            "LOCAL_FOLDER": str(local),
            "SITE_PORT": str(site),
            "SANDBOX_PORT": str(sandbox),
        }
        for name in ("SITE_ORIGIN", "SANDBOX_ORIGIN", "MAILBOX_FOLDER", "REDIS_URL"):
            surroundings.pop(name, None)
        demo = processes.start(
            [sys.executable, "-m", "development.demo"], environment=surroundings, folder=env.ROOT, log=log
        )
        try:
            if not _answers(demo, site):
                print(log.read_text(encoding="utf-8"), "demo: 0 steps passed, 1 failed", sep="\n")
                return 1
            provider = Provider(Sandbox(f"http://{ports.LOOPBACK}:{sandbox}"))
            journey = Journey(f"http://localhost:{site}", provider, PERSON)
            place = Place("r4", TENANTS[PRACTICE])
            exported = GroupExport(surroundings, provider, PERSON, place, Path(folder) / "export")
            return run(chain(journey.steps(), Operator(surroundings).steps(), exported.steps()))
        finally:
            processes.stop(demo)
            places.forget(local)


def run(steps: Iterable[tuple[str, Callable[[], None]]], *, of: str = "demo") -> int:
    """Take the steps in order, one line each; a failed step does not stop the others."""
    passed = failed = 0
    for name, step in steps:
        try:
            step()
        except Exception as why:  # noqa: BLE001  whatever breaks a step has failed it
            failed += 1
            print(f"FAILED  {name}: {type(why).__name__}: {why}", flush=True)
        else:
            passed += 1
            print(f"ok      {name}", flush=True)
    print(f"{of}: {passed} steps passed, {failed} failed")
    return 1 if failed else 0


def _answers(demo: subprocess.Popen[bytes], port: int) -> bool:
    deadline = time.monotonic() + _START_SECONDS
    while demo.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://{ports.LOOPBACK}:{port}/ready/", timeout=5):
                return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.3)
    return False


if __name__ == "__main__":
    sys.exit(main())
