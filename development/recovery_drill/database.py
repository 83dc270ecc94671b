"""The drill's database: backed up, lost, restored, as `docs/operating/restoring.md` says."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import psycopg
from django.db import connection
from psycopg import sql

from development.servers import binaries


@dataclass(frozen=True)
class Database:
    """One Postgres database on a socket, and the file of its backup."""

    url: str
    backup: Path

    @property
    def name(self) -> str:
        return urlsplit(self.url).path.removeprefix("/")

    def back_up(self) -> None:
        """`pg_dump --format=custom`: a consistent snapshot, while the site may run."""
        self._run("pg_dump", "--format=custom", f"--file={self.backup}", f"--dbname={self.name}")

    def lose(self) -> None:
        """Drop it, even while it is used."""
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # of Postgres alone
        self._administer("DROP DATABASE {} WITH (FORCE)")

    def restore(self) -> None:
        """Create an empty database and fill it from the backup. Nobody may use it before the deletions were
        replayed."""
        self._administer("CREATE DATABASE {}")
        self._run("pg_restore", "--exit-on-error", f"--dbname={self.name}", str(self.backup))

    def is_there(self) -> bool:
        """Whether the server has it."""
        with self._connected() as server:
            return bool(server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [self.name]).fetchone())

    def _administer(self, statement: str) -> None:
        with self._connected() as server:
            server.execute(sql.SQL(statement).format(sql.Identifier(self.name)))

    def _connected(self) -> psycopg.Connection[tuple[object, ...]]:
        server = self._server()
        return psycopg.connect(host=server["host"], user=server["user"], dbname="postgres", autocommit=True)

    def _server(self) -> dict[str, str]:
        parts = urlsplit(self.url)
        host = parse_qs(parts.query).get("host", [parts.hostname or ""])[0]
        return {"host": unquote(host), "user": parts.username or "postgres"}

    def _run(self, program: str, *arguments: str) -> None:
        server = self._server()
        ended = subprocess.run(
            [binaries.postgres_client(program), *arguments],
            env={**os.environ, "PGHOST": server["host"], "PGUSER": server["user"]},
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode != 0:
            raise RuntimeError(f"{program} failed: {ended.stderr.strip().splitlines()[-1:]}")
