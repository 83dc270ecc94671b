"""Monitors learn whether the site works, and nothing else."""

import threading
import time

import pytest
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from redis import Redis as Client

from config import health
from config.celery import app, broker_address
from development.servers import binaries, places
from development.servers.redis import Redis
from development.servers.unprivileged import Account
from tests.fixtures.silence import silent_redis


@pytest.fixture
def deaf_broker():
    """The queue's address becomes one where nobody listens."""
    before = app.conf["broker_write_url"]
    app.conf["broker_write_url"] = "redis://127.0.0.1:1/0"
    yield
    app.conf["broker_write_url"] = before


@pytest.fixture
def silent_broker():
    """The queue's address becomes one that takes every connection and says nothing."""
    before = app.conf["broker_write_url"]
    with silent_redis() as address:
        app.conf["broker_write_url"] = address
        yield
    app.conf["broker_write_url"] = before


@pytest.fixture
def own_broker(tmp_path):
    """The queue's address becomes that of a Redis of this test alone, which it may spoil: a client of it."""
    before = app.conf["broker_write_url"]
    with places.place(tmp_path, Account(uid=None, gid=None), is_kept=False) as place:
        server = Redis(place, binaries.redis())
        server.start()
        app.conf["broker_write_url"] = broker_address(f"unix://{place.sockets}/redis.sock?db=0")
        with Client(unix_socket_path=str(place.sockets / "redis.sock")) as client:
            yield client
        app.conf["broker_write_url"] = before
        server.stop()


class Deaf:
    """Every statement fails as with a database that has gone, from the moment it begins; what was asked is counted."""

    def __init__(self):
        self.asked, self.is_deaf = 0, False

    def begins(self):
        self.is_deaf = True

    def __call__(self, execute, *statement):
        if not self.is_deaf:
            return execute(*statement)
        self.asked += 1
        raise OperationalError


@pytest.fixture
def deaf_database(db):
    deaf = Deaf()
    with connection.execute_wrapper(deaf):
        yield deaf


class TestHealth:
    def test_answers_without_a_database(self, client):
        assert client.get("/health/").json() == {"status": "ok"}

    def test_answers_somebody_who_is_signed_in_without_a_database(self, client, alice, deaf_database):
        """A browser's cookie is no reason to ask for its session, which would take the process for dead."""
        client.force_login(alice)
        deaf_database.begins()
        assert client.get("/health/").json() == {"status": "ok"}
        assert client.get("/ready/").json()["database"] is False
        assert deaf_database.asked == 1

    def test_is_never_cached(self, client):
        assert "no-store" in client.get("/health/")["Cache-Control"]


class TestReadiness:
    def test_is_there_when_everything_is(self, client, db):
        answer = client.get("/ready/")
        assert (answer.status_code, answer.json()) == (
            200,
            {"ready": True, "database": True, "broker": True, "migrations": True},
        )

    def test_is_absent_while_a_migration_is_missing(self, client, db):
        MigrationRecorder(connection).record_unapplied("accounts", "0001_initial")
        answer = client.get("/ready/")
        assert (answer.status_code, answer.json()["migrations"]) == (503, False)

    def test_is_absent_while_a_migration_in_the_middle_is_missing(self, client, db):
        name, *_later = sorted(n for app, n in MigrationRecorder(connection).applied_migrations() if app == "auth")
        MigrationRecorder(connection).record_unapplied("auth", name)
        assert client.get("/ready/").json()["migrations"] is False

    def test_does_not_mind_a_migration_of_a_newer_release(self, client, db):
        MigrationRecorder(connection).record_applied("accounts", "9999_of_tomorrow")
        assert client.get("/ready/").status_code == 200

    def test_reads_the_files_of_migrations_once(self, client, db, monkeypatch):
        client.get("/ready/")
        read = []
        monkeypatch.setattr(MigrationLoader, "load_disk", lambda _loader: read.append("read"))
        assert client.get("/ready/").status_code == 200
        assert read == []

    def test_asks_a_database_that_does_not_answer_once(self, client, deaf_database):
        deaf_database.begins()
        answer = client.get("/ready/")
        assert (answer.status_code, answer.json()["database"], answer.json()["migrations"]) == (503, False, False)
        assert deaf_database.asked == 1

    def test_is_absent_while_the_database_can_only_be_read(self, client, db):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
        answer = client.get("/ready/")
        assert (answer.status_code, answer.json()["database"]) == (503, False)

    def test_is_absent_while_the_broker_does_not_answer(self, client, db, deaf_broker):
        answer = client.get("/ready/")
        assert (answer.status_code, answer.json()["broker"]) == (503, False)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda broker: broker.config_set("maxmemory", 1),
            lambda broker: broker.replicaof("127.0.0.1", 1),
            lambda broker: broker.config_set("min-replicas-to-write", 1),
        ],
        ids=["full", "a copy of another", "without copies of its own"],
    )
    def test_is_absent_while_the_broker_takes_nothing(self, client, db, own_broker, spoil):
        assert client.get("/ready/").json()["broker"] is True
        spoil(own_broker)
        answer = client.get("/ready/")
        assert (answer.status_code, answer.json()["broker"]) == (503, False)

    def test_leaves_nothing_behind_for_long(self, client, db, own_broker):
        client.get("/ready/")
        assert [0 < own_broker.ttl(key) <= 60 for key in own_broker.scan_iter()] == [True]

    def test_waits_for_a_broker_that_says_nothing_for_two_seconds(self, client, db, silent_broker):
        began = time.monotonic()
        answers = []
        asking = threading.Thread(target=lambda: answers.append(health._broker_takes_what_is_sent()), daemon=True)
        asking.start()
        asking.join(10)
        assert answers == [False]
        assert time.monotonic() - began < 5
        assert client.get("/ready/").status_code == 503

    def test_is_asked_for_by_anybody_and_says_no_more_than_names(self, client, db):
        assert set(client.get("/ready/").json()) == {"ready", "database", "broker", "migrations"}
