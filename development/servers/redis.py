"""One private Redis (or Valkey) on a socket. It persists nothing: nothing of ours depends on Redis."""

import contextlib
import signal
import subprocess
import time
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from redis import Redis as Client
from redis.exceptions import RedisError

from development import processes
from development.servers.places import Place
from development.servers.unprivileged import clean_environment

_START_SECONDS = 10


class Redis:
    """A server on `place.sockets / "redis.sock"`, run as our own user."""

    def __init__(self, place: Place, program: Path) -> None:
        self._place = place
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def _socket(self) -> Path:
        return self._place.sockets / "redis.sock"

    def start(self) -> None:
        """Start it and wait until it answers. Raises `ImproperlyConfigured`."""
        self._end_what_a_crash_left()
        log = self._place.folder / "redis.log"
        self._process = processes.start(
            [
                *(str(self._program), "--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"),
                *("--save", "", "--appendonly", "no", "--dir", str(self._place.sockets), "--daemonize", "no"),
            ],
            environment=clean_environment(),
            folder=Path("/"),
            log=log,
            signal_on_our_death=signal.SIGTERM,
        )
        deadline = time.monotonic() + _START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(RedisError), Client(unix_socket_path=str(self._socket)) as client:
                client.ping()
                return
            time.sleep(0.02)
        raise ImproperlyConfigured(f"Redis did not start: see {log}.")

    def stop(self) -> None:
        """Stop it."""
        if self._process is not None:
            processes.stop(self._process, by=signal.SIGTERM)

    def _end_what_a_crash_left(self) -> None:
        with contextlib.suppress(RedisError, OSError), Client(unix_socket_path=str(self._socket)) as client:
            client.shutdown(nosave=True)
        self._socket.unlink(missing_ok=True)
