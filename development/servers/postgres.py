"""One private Postgres: created with initdb, listening only on a socket, and recovered after a crash."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import psycopg
from django.core.exceptions import ImproperlyConfigured

from development import processes
from development.servers import binaries
from development.servers.places import Place
from development.servers.unprivileged import Account, clean_environment

_START_SECONDS = 60  # recovery after a crash may take a while
# For data that is thrown away. The buffers hold a million links, as those of a deployment of that size would: then
# benchmarks measure our statements, and not how often Postgres reads a page. Memory is allocated only as it is used.
_NOTHING_AT_STAKE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=2GB")
_COLLATION_BUILT_IN_SINCE = 17


class Postgres:
    """A server on `place.sockets` with data in `place.data`."""

    def __init__(self, place: Place, programs: Path, account: Account, *, is_kept: bool) -> None:
        self._place = place
        self._programs = programs
        self._account = account
        self._is_kept = is_kept
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Create the data if there are none, start, and wait until it answers. Raises `ImproperlyConfigured`."""
        version = binaries.postgres_version(self._programs, self._account)
        if (self._place.data / "PG_VERSION").is_file():
            self._refuse_another_version(version)
            self._clear_what_a_crash_left()
        else:
            self._make(version)
        options = [] if self._is_kept else [part for setting in _NOTHING_AT_STAKE for part in ("-c", setting)]
        self._process = processes.start(
            [
                *(str(self._programs / "postgres"), "-D", str(self._place.data)),
                *("-k", str(self._place.sockets), "-h", "", "-c", "unix_socket_permissions=0700"),
                *("-c", "timezone=UTC", "-c", "max_connections=200", *options),
            ],
            environment=clean_environment(),
            folder=Path("/"),
            uid=self._account.uid,
            gid=self._account.gid,
            log=self._log,
            signal_on_our_death=signal.SIGINT if self._is_kept else signal.SIGQUIT,
        )
        self._wait_until_it_answers()

    def stop(self) -> None:
        """Stop it, with everything written to disk if the data are kept."""
        if self._process is not None:
            processes.stop(self._process, by=signal.SIGINT if self._is_kept else signal.SIGQUIT)

    @property
    def _log(self) -> Path:
        return self._place.folder / "postgres.log"

    def _make(self, version: int) -> None:
        """Without a locale that knows non-ASCII letters, search would not match É with é."""
        kinds: list[tuple[str, ...]] = [("--locale=C", "--lc-ctype=C.UTF-8"), ("--no-locale",)]
        if version >= _COLLATION_BUILT_IN_SINCE:
            kinds.insert(0, ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"))
        for kind in kinds:
            made = self._account.run(
                *(self._programs / "initdb", "-D", self._place.data, "--username=postgres", "--auth=trust"),
                *("--encoding=UTF8", *kind, *(() if self._is_kept else ("--no-sync",))),
            )
            if made.returncode == 0:
                return
            self._log.write_text(made.stdout + made.stderr, encoding="utf-8")
        raise ImproperlyConfigured(f"Postgres could not make its data folder: see {self._log}.")

    def _refuse_another_version(self, version: int) -> None:
        made_by = (self._place.data / "PG_VERSION").read_text(encoding="ascii").strip()
        if made_by != str(version):
            raise ImproperlyConfigured(
                f"The data in {self._place.data} was made by PostgreSQL {made_by}, but {version} is what was found: "
                "make it anew with `make demo FRESH=1`."
            )

    def _clear_what_a_crash_left(self) -> None:
        """Stop a server of this folder that nobody holds any more; remove its PID file if it is gone.

        The PID may belong to another program by now, which Postgres would take for itself.
        """
        file = self._place.data / "postmaster.pid"
        with contextlib.suppress(FileNotFoundError, ValueError, IndexError):
            pid = int(file.read_text(encoding="utf-8").splitlines()[0])
            deadline = time.monotonic() + _START_SECONDS
            while self._is_our_server(pid) and time.monotonic() < deadline:
                os.kill(pid, signal.SIGINT)
                time.sleep(0.2)
        file.unlink(missing_ok=True)
        for socket in self._place.sockets.glob(".s.PGSQL.*"):
            socket.unlink(missing_ok=True)

    def _is_our_server(self, pid: int) -> bool:
        listed = subprocess.run(
            ["ps", "-ww", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return str(self._place.data) in listed.stdout

    def _wait_until_it_answers(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + _START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(host=str(self._place.sockets), user="postgres", dbname="postgres").close()
                return
            time.sleep(0.05)
        raise ImproperlyConfigured(f"Postgres did not start: see {self._log}.")
