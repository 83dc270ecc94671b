"""Running a measuring program in a process of its own, with its own settings and private, empty servers."""

import json
import os
import subprocess
import sys

from config import env


def measured(module: str, settings: str, *arguments: str) -> dict[str, float]:
    """Run the program, which prints one line of JSON at its end, and read that line. Its progress goes to our screen.

    It gets a Postgres and a Redis of its own (`development.servers.tests`), whatever the environment names.
    """
    return told_by("benchmarks.program", module, *arguments, DJANGO_SETTINGS_MODULE=settings)


def told_by(module: str, *arguments: str, **surroundings: str) -> dict[str, float]:
    """The same of a program that prepares everything for itself."""
    ours = {name: value for name, value in os.environ.items() if not name.endswith(("DATABASE_URL", "REDIS_URL"))}
    ended = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=env.ROOT,
        env={**ours, "LOG_LEVEL": "CRITICAL", **surroundings},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    read: dict[str, float] = json.loads(ended.stdout.strip().splitlines()[-1])
    return read
