"""Parts of the drill: a database is lost, and comes back as it was when it was backed up."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from config import env
from development import servers
from development.check.__main__ import run
from development.recovery_drill.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty one of its own."""
    url = env.database_url() or servers.tests().database_url("holdfast")
    parts = urlsplit(url)
    name = f"drill_test_{secrets.token_hex(4)}"
    made = Database(f"{parts.scheme}://{parts.netloc}/{name}?{parts.query}", backup=tmp_path / "backup.dump")
    made._administer("CREATE DATABASE {}")
    yield made
    made._administer("DROP DATABASE IF EXISTS {} WITH (FORCE)")


def rows(database: Database, statement: str) -> list[tuple[object, ...]]:
    server = database._server()
    with psycopg.connect(host=server["host"], user=server["user"], dbname=database.name, autocommit=True) as connected:
        answer = connected.execute(sql.SQL(statement))
        return answer.fetchall() if answer.description else []


class TestTheDatabase:
    def test_comes_back_as_it_was_when_it_was_backed_up(self, database):
        rows(database, "CREATE TABLE kept AS SELECT 1 AS number")
        database.back_up()
        rows(database, "INSERT INTO kept VALUES (2)")
        database.lose()
        assert not database.is_there()
        database.restore()
        assert rows(database, "SELECT number FROM kept") == [(1,)]

    def test_says_what_a_program_refused(self, database):
        database.lose()
        with pytest.raises(RuntimeError, match="pg_restore failed"):
            database.restore()


class TestTheTelling:
    def test_says_whose_steps_they_were(self, capsys):
        assert run([("one", lambda: None)], of="drill") == 0
        assert capsys.readouterr().out.splitlines()[-1] == "drill: 1 steps passed, 0 failed"
