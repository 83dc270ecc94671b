"""`make drill`: a rehearsed disaster. Links records, makes a backup, goes on, loses the database, restores it, and
shows what became of every link and of everything that people had deleted.

One line per step, then `drill: N steps passed, M failed`. The exit code is 1 if a step failed. Servers, keys, sandbox
and ports are its own, in a folder that is removed at the end: a demo that is already running is left alone.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from config import env
from development import gunicorn, ports, processes
from development.control import Sandbox
from development.servers import SharedServers

_START_SECONDS = 90


def main() -> int:
    """Run it. The drill itself is a separate process, because settings are read once."""
    with tempfile.TemporaryDirectory(prefix="holdfast-drill-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # the user Postgres runs as may have to pass
        servers = SharedServers(folder / "servers", is_kept=False)
        try:
            with _sandbox(servers, folder) as surroundings:
                command = [sys.executable, "-m", "development.recovery_drill", str(folder)]
                return subprocess.run(command, cwd=env.ROOT, env=surroundings, check=False).returncode
        finally:
            servers.leave()


@contextlib.contextmanager
def _sandbox(servers: SharedServers, folder: Path) -> Iterator[Mapping[str, str]]:
    """The sandbox with its people, answering, and the environment for the drill."""
    port = ports.free_port()
    surroundings = {
        **os.environ,
        "DATABASE_URL": servers.database_url("holdfast"),
        "SANDBOX_DATABASE_URL": servers.database_url("sandbox"),
        "REDIS_URL": servers.redis_url,
        "LOCAL_FOLDER": str(folder / "local"),
        "MAILBOX_FOLDER": str(folder / "mail"),
        "DELETION_LEDGER": str(folder / "deletions.jsonl"),
        "SANDBOX_ORIGIN": f"http://{ports.LOOPBACK}:{port}",
        "SITE_PORT": str(ports.free_port()),
        "DJANGO_SETTINGS_MODULE": "config.settings.sandbox",
        "LOG_LEVEL": "CRITICAL",  # what is shown is what the steps say
    }
    surroundings.pop("SITE_ORIGIN", None)
    for command in (["migrate"], ["seed"], ["populate"], ["directory", "--output", str(folder / "directory.json")]):
        subprocess.run(
            [sys.executable, "-m", "django", *command],
            cwd=env.ROOT,
            env=surroundings,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    log = folder / "sandbox.log"
    running = processes.start(gunicorn.sandbox(port), environment=surroundings, folder=env.ROOT, log=log)
    try:
        Sandbox(surroundings["SANDBOX_ORIGIN"]).wait(seconds=_START_SECONDS)
        yield {**surroundings, "DJANGO_SETTINGS_MODULE": "config.settings.local"}
    finally:
        processes.stop(running)


if __name__ == "__main__":
    sys.exit(main())
