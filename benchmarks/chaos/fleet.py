"""The programs that are killed: workers, beat, the site, and readers, each with a clock of its own."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from config import env
from development import gunicorn, processes
from development.ports import free_port

SKEW_SECONDS = 60
_CELERY = ("celery", "--app", "config.celery")
_WORKER = (*_CELERY, "worker", "--queues", "refresh", "--without-mingle", "--without-gossip")
_READER = ("benchmarks.chaos.reading",)
_PATIENCE_SECONDS = 20


@dataclass(frozen=True)
class Program:
    """One of them: how likely it is to be killed, and how wrong its clock is."""

    command: tuple[str, ...]
    weight: int
    skew_seconds: int = 0


def usual(folder: Path, *, are_apart: bool) -> dict[str, Program]:
    """Three workers, two readers, a beat and a site; `are_apart`: whose clocks do not even agree among themselves."""
    skew_seconds = SKEW_SECONDS if are_apart else 0
    site = tuple(gunicorn.site(free_port())[2:])  # without the interpreter and its -m
    return {
        "worker": Program(_WORKER, 3),
        "second worker": Program(_WORKER, 3, skew_seconds),
        "third worker": Program(_WORKER, 3, -skew_seconds),
        "reader": Program(_READER, 2),
        "second reader": Program(_READER, 2, skew_seconds),
        "beat": Program((*_CELERY, "beat", "--schedule", str(folder / "schedule")), 2),
        "site": Program(site, 1),
    }


class Fleet:
    """What runs. `shift_seconds` is how far all their clocks are ahead of the machine's."""

    def __init__(self, programs: Mapping[str, Program], surroundings: Mapping[str, str], folder: Path) -> None:
        self._programs = programs
        self._surroundings = {**os.environ, **surroundings}
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._shift_seconds = 0.0

    def start(self, *, shift_seconds: float) -> None:
        """All of them, with their clocks there; those that ran are stopped first, in order."""
        self.stop()
        self._shift_seconds = shift_seconds
        self.mend()

    def mend(self) -> None:
        """Start again what is dead, as whoever runs them does."""
        for name, program in self._programs.items():
            known = self._running.get(name)
            if known is None or known.poll() is not None:
                self._running[name] = self._started(name, program)

    def kill_one(self, chance: random.Random) -> str:
        """SIGKILL for one that runs, and for its children. Its name; empty where none runs."""
        names = [name for name, process in self._running.items() if process.poll() is None]
        if not names:
            return ""
        (name,) = chance.choices(names, [self._programs[name].weight for name in names])
        with suppress(ProcessLookupError):
            os.killpg(self._running[name].pid, signal.SIGKILL)
        self._running[name].wait()
        return name

    def stop(self) -> None:
        """Ask all of them to stop, and wait."""
        for process in self._running.values():
            if process.poll() is None:
                process.terminate()
        for process in self._running.values():
            processes.stop(process, patience_seconds=_PATIENCE_SECONDS)
        self._running.clear()

    def _started(self, name: str, program: Program) -> subprocess.Popen[bytes]:
        seconds = self._shift_seconds + program.skew_seconds
        return processes.start(
            [sys.executable, "-m", "benchmarks.chaos.shifted", str(seconds), *program.command],
            environment=self._surroundings,
            folder=env.ROOT,
            log=self._folder / f"{name.replace(' ', '-')}.log",
            signal_on_our_death=signal.SIGKILL,
        )
