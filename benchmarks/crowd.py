"""Processes that do the same thing at the same moment, each with a Django and a database connection of its own."""

import importlib
import multiprocessing
import os
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import django

_WAITS_SECONDS = 120


class Crowd:
    """So many processes that wait to be asked. `function` is named as `package.module:function` and takes one argument,
    since it is looked for in each process once Django is set up there; `database_url` is where they all work."""

    def __init__(self, function: str, *, number: int, database_url: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._barrier = context.Barrier(number)  # kept: each process finds it by a name that goes with it
        self._ours: list[Connection] = []
        self._processes = []
        for _number in range(number):
            ours, theirs = context.Pipe()
            process = context.Process(target=_live, args=(function, theirs, self._barrier, database_url), daemon=True)
            process.start()
            theirs.close()
            self._ours.append(ours)
            self._processes.append(process)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for ours in self._ours:
            ours.close()  # whoever waits to be asked ends
        for process in self._processes:
            process.join(5)
            if process.is_alive():
                process.kill()

    def ask(self, argument: object) -> list[Any]:
        """Let all of them begin when the last one is ready; what each gave back. Raises EOFError where one died."""
        for ours in self._ours:
            ours.send(argument)
        return [ours.recv() for ours in self._ours]


def address(row: Mapping[str, Any]) -> str:
    """The address of a database from Django's own form of it."""
    name, host, port = str(row["NAME"]), str(row["HOST"]), str(row["PORT"])
    who = ":".join(quote(str(row[part]), safe="") for part in ("USER", "PASSWORD") if row[part])
    if host.startswith("/") or not host:
        return f"postgres://{who}@/{name}" + (f"?host={quote(host)}" if host else "")
    return f"postgres://{who}@{host}{':' if port else ''}{port}/{name}"


def _live(function: str, asked: Connection, barrier: Barrier, database_url: str) -> None:
    os.environ["DATABASE_URL"] = database_url
    django.setup()
    module, _, name = function.partition(":")
    work: Callable[[object], object] = getattr(importlib.import_module(module), name)
    while True:
        try:
            argument = asked.recv()
        except EOFError:
            return
        barrier.wait(_WAITS_SECONDS)
        asked.send(work(argument))
