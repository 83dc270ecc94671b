"""How several processes share one pair of servers: file locks, which the system releases however a process ends.

servers.users      held shared by every process that uses the servers; the keeper waits to hold it alone
servers.starting   held while one process looks whether a keeper is there, and starts one
servers.keeper     held by the keeper as long as it lives
"""

import atexit
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import quote

import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg import sql

from config import env


class SharedServers:
    """The Postgres and Redis of one folder. Started on first use, in whichever process that happens."""

    def __init__(self, folder: Path, *, is_kept: bool) -> None:
        self.folder = folder
        self.is_kept = is_kept
        self._users: IO[str] | None = None
        self._keeper: subprocess.Popen[str] | None = None
        self._sockets = ""
        self._guard = threading.Lock()

    def __repr__(self) -> str:
        return f"<SharedServers {self.folder}>"

    @property
    def redis_url(self) -> str:
        """Redis, as `unix://` and a path: it listens on no port."""
        return f"unix://{quote(self._address())}/redis.sock?db=0"

    def database_url(self, name: str) -> str:
        """The Postgres database called `name`, created if absent. Both Django and libpq read the address."""
        host = self._address()
        try:
            connecting = psycopg.connect(host=host, user="postgres", dbname="postgres", autocommit=True)
        except psycopg.OperationalError:
            why = f"the private Postgres of {self.folder} does not answer: stop what uses it, and start it again"
            raise ImproperlyConfigured(why) from None
        with connecting as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
            if not found:
                # Another process may create it between the question and the answer.
                with contextlib.suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return f"postgres://postgres@/{name}?host={quote(host)}"

    def leave(self) -> None:
        """Stop using the servers. If this process started them and no other uses them, wait until they have stopped."""
        with self._guard:
            if self._users is None:
                return
            self._users.close()
            self._users, self._sockets = None, ""
            if self._keeper is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._keeper.wait(timeout=5)
                self._keeper = None

    def _address(self) -> str:
        """The folder of the sockets."""
        with self._guard:
            if not self._sockets:
                self._join()
            return self._sockets

    def _join(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # The lock must be ours before a keeper starts: it ends as soon as it can hold the lock alone.
            self._users = _locked(self.folder / "servers.users", fcntl.LOCK_SH)
            with _locked(self.folder / "servers.starting", fcntl.LOCK_EX):
                if not _is_locked(self.folder / "servers.keeper"):
                    self._start_keeper()
                addresses = json.loads((self.folder / "servers.json").read_text(encoding="utf-8"))
        except PermissionError as error:
            raise ImproperlyConfigured(f"{self.folder} belongs to another user of this machine.") from error
        self._sockets = str(addresses["sockets"])
        atexit.register(self.leave)

    def _start_keeper(self) -> None:
        """Start the keeper and wait for its one line: `ready`, or why not."""
        command = [sys.executable, "-m", "development.servers.keeper", str(self.folder)]
        if self.is_kept:
            command.append("--keep")
        # A session of its own: Ctrl-C in the terminal is for the programs that use the servers.
        with (self.folder / "servers.log").open("w") as log:
            self._keeper = subprocess.Popen(
                command,
                cwd=env.ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        assert self._keeper.stdout is not None
        with self._keeper.stdout as answer:
            line = answer.readline().strip()
        if line != "ready":
            complaints = (self.folder / "servers.log").read_text(encoding="utf-8").strip().splitlines()
            if not self.is_kept:
                shutil.rmtree(self.folder, ignore_errors=True)
            raise ImproperlyConfigured(line or f"The private servers did not start: {' '.join(complaints[-1:])}")


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Whether nobody uses the servers of this folder; while the block runs, nobody can start to."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "servers.users").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _locked(path: Path, kind: int) -> IO[str]:
    """The file, open, and locked until it is closed. Waits for the lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, kind)
    return os.fdopen(descriptor, "w")


def _is_locked(path: Path) -> bool:
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False
