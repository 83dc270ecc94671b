"""`manage.py` tells the operator in one sentence what to fix, and shows a traceback only if asked."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator

import pytest
import redis
from django.db import DatabaseError, connection, transaction
from redis.backoff import NoBackoff
from redis.retry import Retry

from apps.vault.errors import CannotOpen, KeyMissing, WeakKey
from config import command_errors, env
from development import ports
from development.linting import production
from tests.fixtures.sandbox import a_database

LACKS_MIGRATIONS = "The database lacks migrations of this release. Run manage.py migrate, then this again."


def manage(*arguments: str, **surroundings: str) -> tuple[int, str]:
    """How it ended, and what it said on standard error, under the settings of a deployment."""
    ended = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=env.ROOT,
        env={**os.environ, **production(), **surroundings},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stderr


@pytest.fixture
def nobody_there() -> str:
    return f"postgres://holdfast:canary-password@127.0.0.1:{ports.free_port()}/holdfast"


@pytest.fixture
def empty_database() -> Iterator[str]:
    with a_database(f"empty_{secrets.token_hex(4)}") as url:
        yield url


class TestManage:
    def test_names_a_variable_that_cannot_be_what_it_says(self):
        code, said = manage("check", SIGNING_KEY_DAYS="ninety")
        assert code == 1
        assert said.startswith("The settings are not complete, or not right: SIGNING_KEY_DAYS is a whole number")
        assert len(said.splitlines()) == 1

    def test_says_that_the_database_does_not_answer(self, nobody_there):
        code, said = manage("sync_health", DATABASE_URL=nobody_there)
        assert code == 1
        assert said.splitlines()[-1].startswith("The database does not answer, or could not do this (")
        assert "Traceback" not in said
        assert "canary-password" not in said

    def test_shows_where_it_happened_when_asked(self, nobody_there):
        assert "Traceback" in manage("sync_health", "--traceback", DATABASE_URL=nobody_there)[1]

    def test_names_a_file_of_a_variable_that_is_not_there(self):
        code, said = manage("check", SECRET_KEY_FILE="/nowhere/canary")
        what = "SECRET_KEY_FILE names a file that cannot be read (FileNotFoundError)"
        assert (code, said) == (1, f"The settings are not complete, or not right: {what}. See .env.example.\n")

    @pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL", "SECRET_KEY", "VAULT_KEYS"])
    def test_names_a_variable_that_is_not_set(self, name):
        code, said = manage("check", **{name: ""})
        what = f"The settings are not complete, or not right: {name} is not set. See .env.example.\n"
        assert (code, said) == (1, what)

    def test_names_settings_that_are_not_there(self):
        code, said = manage("check", DJANGO_SETTINGS_MODULE="config.settings.canary")
        assert (code, said) == (1, "DJANGO_SETTINGS_MODULE names settings that are not there. See .env.example.\n")


class TestAProcess:
    """Of those that run beside each other; each would start again and again under a supervisor."""

    @pytest.mark.parametrize(
        ("arguments", "ends_with"),
        [
            (("gunicorn", "--config", "python:config.gunicorn", "--bind", "127.0.0.1:0", "config.wsgi:application"), 3),
            (("celery", "--app", "config.celery", "worker", "--queues", "refresh"), 1),
            (("celery", "--app", "config.celery", "beat", "--schedule", "/nowhere/schedule"), 1),
            (("config.probing",), 1),
        ],
        ids=["web", "worker", "beat", "probe"],
    )
    def test_that_cannot_start_says_why_in_one_sentence(self, arguments, ends_with):
        ended = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=env.ROOT,
            env={**os.environ, **production(), "SITE_ORIGIN": "canary"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ended.returncode == ends_with
        assert "The settings are not complete, or not right: SITE_ORIGIN is scheme, host and port" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert "canary" not in ended.stderr


class TestLinkHealth:
    def test_is_for_now_where_the_database_does_not_answer(self, nobody_there):
        code, said = manage("link_health", "--quiet", DATABASE_URL=nobody_there)
        assert code == 2
        assert said.splitlines()[-1] == "CommandError: Act now: the database does not answer."

    def test_is_for_now_where_migrations_are_missing(self, empty_database):
        code, said = manage("link_health", "--quiet", DATABASE_URL=empty_database)
        assert code == 2
        assert said.splitlines()[-1].startswith("CommandError: Act now: the database lacks tables or columns of this")
        assert "Traceback" not in said
        assert "UndefinedTable" in manage("link_health", "--traceback", DATABASE_URL=empty_database)[1]


def unread(*arguments: str) -> tuple[int, str]:
    """How Python ended whose reader was gone before it wrote, and what it said on standard error."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = started(*arguments, stdout=writer)
    finally:
        os.close(writer)
    return ended.returncode, ended.stderr


def started(*arguments: str, stdout: int) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=env.ROOT,
        env={**os.environ, **production(), "PYTHONUNBUFFERED": ""},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def running(*lines: str) -> tuple[str, str]:
    """A program whose command does this."""
    body = "".join(f"    {line}\n" for line in lines)
    return "-c", f"import sys, manage\ndef main(_):\n{body}manage.main = main\nmanage.run([])"


class TestACommandWhoseReaderLeft:
    @pytest.mark.parametrize("arguments", [("--help",), ("diffsettings", "--all")], ids=["in the end", "on the way"])
    def test_ends_as_others_do_and_says_nothing(self, arguments):
        assert unread("manage.py", *arguments) == (141, "")

    def test_ends_with_what_it_had_found(self):
        assert unread(*running("print('all of it')", "sys.exit(2)")) == (2, "")

    def test_is_not_taken_for_one_that_lost_another_pipe(self):
        ended = started(*running("raise BrokenPipeError"), stdout=subprocess.DEVNULL)
        assert (ended.returncode, ended.stderr.splitlines()[-1]) == (1, "BrokenPipeError")


@pytest.mark.django_db
class TestWhatStopsACommand:
    """By the real answers of the servers; no text of theirs is repeated."""

    @staticmethod
    def said_of(statement: str) -> str | None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement)
        except DatabaseError as error:
            return command_errors.sentence(error)
        raise AssertionError("Postgres did as it was told")

    @pytest.mark.parametrize(
        ("statement", "said"),
        [
            ("SET TRANSACTION READ ONLY; DELETE FROM accounts_user", "The database can only be read. Look at Postgres"),
            ("SET LOCAL ROLE pg_monitor; TABLE accounts_user", "The user that DATABASE_URL names may not do this"),
        ],
        ids=["read only", "no right"],
    )
    def test_is_named(self, statement, said):
        assert (self.said_of(statement) or "").startswith(said)

    @pytest.mark.parametrize("statement", ["SELECT canary(", "TABLE canary", "SELECT canary FROM accounts_user"])
    def test_is_not_thought_of_a_statement_that_is_wrong(self, statement):
        assert self.said_of(statement) is None

    @pytest.mark.parametrize("error", [ValueError("canary"), CannotOpen(), redis.ResponseError("canary")])
    def test_is_not_thought_of_another_fault_of_ours(self, error):
        assert command_errors.sentence(error) is None

    @pytest.mark.parametrize("kind", [KeyMissing, WeakKey])
    def test_names_the_variable_of_a_missing_key(self, kind):
        assert "VAULT_KEYS" in (command_errors.sentence(kind()) or "")

    def test_may_be_redis(self):
        away = redis.Redis(port=ports.free_port(), retry=Retry(NoBackoff(), 0))
        with pytest.raises(redis.ConnectionError) as raised:
            away.ping()
        said = command_errors.sentence(raised.value)
        assert said == "Redis does not answer, or takes nothing (ConnectionError). Look at Redis and REDIS_URL."


class TestACommandWithoutMigrations:
    @pytest.mark.parametrize("command", ["list_connections", "sync_health", "rotate_keys"])
    def test_ends_in_one_sentence(self, command, empty_database):
        code, said = manage(command, DATABASE_URL=empty_database)
        assert (code, said.splitlines()[-1]) == (1, LACKS_MIGRATIONS)
        assert "Traceback" not in said

    def test_shows_where_it_happened_when_asked(self, empty_database):
        assert "UndefinedTable" in manage("sync_health", "--traceback", DATABASE_URL=empty_database)[1]
