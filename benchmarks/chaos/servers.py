"""A Postgres that keeps what it was told (with fsync) and a Redis, both of our own, to be broken."""

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from redis import Redis as Client
from redis.exceptions import RedisError

from development.servers import binaries, places
from development.servers.places import Place
from development.servers.postgres import Postgres
from development.servers.redis import Redis
from development.servers.unprivileged import server_account


@dataclass(frozen=True)
class Servers:
    """Both, and where they are."""

    place: Place
    postgres: Postgres

    @property
    def database_url(self) -> str:
        return f"postgres://postgres@/postgres?host={quote(str(self.place.sockets))}"

    @property
    def redis_url(self) -> str:
        return f"unix://{quote(str(self.place.sockets))}/redis.sock?db=0"

    def restart_postgres(self, *, crashes: bool) -> None:
        """Orderly, or as if the machine had lost power: then it recovers from what it had written."""
        pid = int((self.place.data / "postmaster.pid").read_text(encoding="ascii").splitlines()[0])
        os.kill(pid, signal.SIGQUIT if crashes else signal.SIGINT)
        self.postgres.stop()
        self.postgres.start()

    def flush_redis(self) -> None:
        """Every message and every count is gone."""
        socket = str(self.place.sockets / "redis.sock")
        with contextlib.suppress(RedisError), Client(unix_socket_path=socket) as client:
            client.flushall()


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Servers]:
    """Started for the block, with their data below this folder."""
    account = server_account()
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(places.place(folder, account, is_kept=False))
        postgres = Postgres(place, binaries.postgres(place, account), account, is_kept=True)
        redis = Redis(place, binaries.redis())
        stack.callback(postgres.stop)
        postgres.start()
        stack.callback(redis.stop)
        redis.start()
        yield Servers(place, postgres)
