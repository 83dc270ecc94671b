"""Area `pages`: what a page costs in processor time. Each program is measured in a process with its own settings."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.figure import Figure
from config import env


def figures() -> Iterator[Figure]:
    """The sandbox's page of a hundred rows, which must never be a benchmark's bottleneck; the site's welcome page."""
    rows = _measured("benchmarks.sandbox_page", "config.settings.sandbox_test")
    yield Figure("sandbox_page_of_100_rows", rows["ms"], 2, " ms")
    welcome = _measured("benchmarks.welcome_page", "config.settings.test")
    yield Figure("welcome_page_to_empty_page", welcome["welcome_ms"] / welcome["empty_ms"], 8, "")


def _measured(module: str, settings: str) -> dict[str, float]:
    """Run a measuring program on private servers and read the JSON of its last line."""
    surroundings = {
        name: value for name, value in os.environ.items() if not name.endswith(("DATABASE_URL", "REDIS_URL"))
    }
    ended = subprocess.run(
        [sys.executable, "-m", module],
        cwd=env.ROOT,
        env={**surroundings, "DJANGO_SETTINGS_MODULE": settings, "LOG_LEVEL": "ERROR"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    read: dict[str, float] = json.loads(ended.stdout.strip().splitlines()[-1])
    return read
