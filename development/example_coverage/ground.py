"""A sandbox of our own that serves only the files, for the syncs that follow."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from config import env
from development import gunicorn, processes
from development.control import Sandbox
from development.ports import LOOPBACK, free_port

_STARTS_WITHIN_SECONDS = 120


@contextlib.contextmanager
def serving(paths: Sequence[Path], *, database_url: str, folder: Path) -> Iterator[tuple[Sandbox, str]]:
    """The sandbox, answering while the block runs, and what it said about each file as it loaded them."""
    port = free_port()
    surroundings = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.sandbox",
        "SANDBOX_DATABASE_URL": database_url,
        "SANDBOX_ORIGIN": f"http://{LOOPBACK}:{port}",
    }
    for command in (["migrate", "--verbosity", "0"], ["seed"]):
        _run(command, surroundings)
    said = _run(["load_bundles", *map(str, paths)], surroundings)
    log = folder / "sandbox.log"
    process = processes.start(gunicorn.sandbox(port), environment=surroundings, folder=env.ROOT, log=log)
    try:
        sandbox = Sandbox(surroundings["SANDBOX_ORIGIN"])
        sandbox.wait(seconds=_STARTS_WITHIN_SECONDS)
        yield sandbox, said
    finally:
        processes.stop(process)


def _run(command: list[str], surroundings: dict[str, str]) -> str:
    return subprocess.run(
        [sys.executable, "-m", "django", *command],
        cwd=env.ROOT,
        env=surroundings,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
