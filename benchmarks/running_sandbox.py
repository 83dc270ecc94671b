"""A sandbox of a bench's own: the real program in a process of its own, on a free port, with an empty database."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from config import env
from development import gunicorn, processes, servers
from development.control import Sandbox
from development.ports import LOOPBACK, free_port

_STARTS_WITHIN_SECONDS = 60


@contextlib.contextmanager
def running() -> Iterator[tuple[Sandbox, Path]]:
    """The sandbox with its people, and the file of its directory, for as long as the block lasts."""
    port = free_port()
    origin = f"http://{LOOPBACK}:{port}"
    surroundings = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.sandbox",
        "SANDBOX_DATABASE_URL": servers.tests().database_url("bench_sandbox"),
        "SANDBOX_ORIGIN": origin,
    }
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name:
        folder = Path(name)
        directory = folder / "directory.json"
        for command in (["migrate"], ["seed"], ["populate"], ["directory", "--output", str(directory)]):
            _run(command, surroundings)
        process = processes.start(
            gunicorn.sandbox(port), environment=surroundings, folder=env.ROOT, log=folder / "sandbox.log"
        )
        try:
            sandbox = Sandbox(origin)
            sandbox.wait(seconds=_STARTS_WITHIN_SECONDS)
            yield sandbox, directory
        finally:
            processes.stop(process)


def _run(command: list[str], surroundings: Mapping[str, str]) -> None:
    subprocess.run(
        [sys.executable, "-m", "django", *command],
        cwd=env.ROOT,
        env=surroundings,
        check=True,
        stdout=subprocess.DEVNULL,
    )
