"""The schedule rebuilds shelves in an older format by itself, a few connections at a time."""

import io
import logging
import threading
import time
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection as database
from django.db import connections
from django.db.models import F

from apps.accounts.models import User
from apps.connections.models import Connection
from apps.records import shelving, tasks
from apps.records.models import Leaf, Record, Shelf
from apps.records.shelving import building, reading, renewing, writing
from apps.records.shelving.indexing import FORM
from apps.records.subjects import RESULTS, shelved_for
from apps.records.syncing import sync_health
from apps.vault import sealing, shredding
from apps.vault.sealing import Holder
from config.celery import SCHEDULE
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import ask
from tests.records.shelved import keep, result
from tests.vault.losing import without_key

__all__ = ["without_key"]


@pytest.fixture
def linked_many(alice):
    """Four connections, whose shelves an earlier release built."""
    made = [make_connection(alice, make_endpoint(f"https://{name}.example/r4")) for name in ("a", "b", "c", "d")]
    for number, connection in enumerate(made):
        keep(connection, result(number))
    age()
    return made


def age(*connections_of_theirs):
    """As of an earlier release: no way to search them, and nobody has tried to mend that."""
    shelves = Shelf.objects.filter(connection__in=connections_of_theirs or Connection.objects.all())
    assert shelves.update(form=FORM - 1, tried_at=None)


def old_ones():
    return set(Shelf.objects.filter(form__lt=FORM).values_list("connection_id", flat=True))


def turned_back(hours):
    """As if what was tried had been tried so much earlier."""
    Shelf.objects.update(tried_at=F("tried_at") - timedelta(hours=hours))


def command_output():
    said = io.StringIO()
    try:
        call_command("sync_health", stdout=said)
    except CommandError:
        return 1, said.getvalue()
    return 0, said.getvalue()


@pytest.mark.django_db
class TestRenewing:
    def test_builds_what_an_earlier_release_built_and_then_nothing(self, linked_many):
        assert shelving.renew_some(at=AT) == 4
        assert old_ones() == set()
        builds = set(Leaf.objects.values_list("build", flat=True))
        assert shelving.renew_some(at=AT) == 0
        assert set(Leaf.objects.values_list("build", flat=True)) == builds

    def test_leaves_alone_what_this_release_built(self, linked_many):
        mine, *others = linked_many
        shelving.rebuild_all(mine, at=AT)
        before = set(Leaf.objects.filter(shelf__connection=mine).values_list("build", flat=True))
        assert shelving.renew_some(at=AT) == len(others)
        assert set(Leaf.objects.filter(shelf__connection=mine).values_list("build", flat=True)) == before

    def test_builds_a_few_connections_in_a_turn(self, linked_many, monkeypatch):
        monkeypatch.setattr(shelving, "_MOST_RENEWED", 3)
        assert shelving.renew_some(at=AT) == 3
        assert len(old_ones()) == 1

    def test_begins_no_more_at_once_than_it_may(self, linked_many):
        claimed = {renewing.claim() for _time in range(renewing.MOST_AT_ONCE)}
        assert len(claimed) == renewing.MOST_AT_ONCE
        assert renewing.claim() is None

    def test_takes_no_connection_twice_a_day(self, linked_many, monkeypatch):
        monkeypatch.setattr(renewing, "MOST_AT_ONCE", 10)
        claimed = [renewing.claim() for _time in range(4)]
        assert set(claimed) == set(linked_many)
        turned_back(hours=23)
        assert renewing.claim() is None
        turned_back(hours=2)
        assert renewing.claim() in claimed

    def test_begins_with_what_somebody_reads_now(self, linked_many, monkeypatch):
        asked = linked_many[2]
        renewing.ask_for(list(Shelf.objects.filter(connection=asked).values_list("pk", flat=True)[:1]))
        assert renewing.claim() == asked
        renewing.ask_for([])
        assert renewing.claim() != asked

    def test_tries_again_what_failed_after_what_was_never_tried(self, linked_many):
        failed = renewing.claim()
        turned_back(hours=30)
        rest = [renewing.claim(), renewing.claim()]
        assert failed not in rest
        turned_back(hours=1)
        assert renewing.claim() not in (*rest, failed)
        turned_back(hours=1)
        assert renewing.claim() == failed

    def test_goes_on_with_others_where_a_worker_died_over_one(self, linked_many):
        dead = renewing.claim()
        assert dead is not None
        assert shelving.renew_some(at=AT) == 3
        assert old_ones() == {dead.pk}

    def test_stops_at_keys_that_are_not_at_hand_and_tells_operators(self, linked_many, without_key, caplog):
        with without_key(), caplog.at_level(logging.ERROR):
            assert shelving.renew_some(at=AT) == renewing.MOST_AT_ONCE
            assert shelving.renew_some(at=AT) == 0
        assert caplog.text.count("Old shelves cannot be built anew") == renewing.MOST_AT_ONCE
        assert len(old_ones()) == 4
        assert command_output()[0] == 0  # may be under way
        turned_back(hours=1)
        code, said = command_output()
        assert (code, said.count("shelves_not_renewed: connection ")) == (1, renewing.MOST_AT_ONCE)
        shelving.renew_some(at=AT)  # the others, with the key
        turned_back(hours=25)
        shelving.renew_some(at=AT)
        assert (old_ones(), command_output()) == (set(), (0, "All is well with copies.\n"))

    def test_says_how_many_are_still_to_be_built_which_is_no_fault(self, linked_many):
        code, said = command_output()
        assert code == 0
        assert f"{Shelf.objects.count()} shelves of an earlier release are still to be built anew." in said

    def test_says_that_there_may_be_more_than_it_counts(self, linked_many, monkeypatch):
        monkeypatch.setattr(sync_health, "MOST_COUNTED", 2)
        assert "2 or more shelves of an earlier release are still to be built anew." in command_output()[1]

    def test_says_nothing_of_an_account_that_was_closed(self, linked_many, caplog):
        shredding.shred(Holder.user(linked_many[0].user_id))
        with caplog.at_level(logging.ERROR):
            shelving.renew_some(at=AT)
        assert "Old shelves" not in caplog.text

    def test_keeps_what_an_earlier_release_still_told_where_no_details_open(self, linked_many):
        spoiled = Record.objects.filter(resource_type="Patient", connection=linked_many[0])
        assert spoiled.update(sealed_body=b"\x03" + bytes(80)) == 1
        shelving.renew_some(at=AT)
        left = Shelf.objects.filter(form__lt=FORM)
        assert list(left.values_list("connection_id", "subject")) == [(linked_many[0].pk, "patient")]
        assert shelving.patients(linked_many[0])

    def test_makes_a_record_searchable_whose_link_ended(self, linked_many, hers, monkeypatch):
        with monkeypatch.context() as patched:
            patched.setattr(writing.Writing, "write_words", lambda _writing, _rows: {})
            for connection in linked_many:
                shelving.rebuild_all(connection, at=AT)
        age()
        Connection.objects.update(status=Connection.Status.ENDED)
        assert "prepared again" in ask(hers, "sodium")
        tasks.renew_shelves()
        assert "4 entries found" in ask(hers, "sodium")

    def test_shows_a_stranger_nothing(self, linked_many, client, sam):
        tasks.renew_shelves()
        client.force_login(sam)
        assert "entries found" not in ask(client, "sodium")

    def test_is_asked_for_by_a_copy_as_well(self, linked_many):
        of_results = {subject.key for subject in shelved_for("Observation")}
        assert shelving.unreadable(linked_many[0]) == of_results | {"patient"}
        shelving.renew_some(at=AT)
        assert shelving.unreadable(linked_many[0]) == set()

    def test_happens_every_minute(self):
        row = next(row for row in SCHEDULE if row.task == tasks.renew_shelves.name)
        assert row.every == timedelta(minutes=1)


def in_a_thread(work):
    def run():
        try:
            work()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def until_it_ends_or_waits(thread):
    asks = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    ends_at = time.monotonic() + 60
    with database.cursor() as cursor:
        while thread.is_alive():
            assert time.monotonic() < ends_at, "it neither ends nor waits"
            cursor.execute(asks)
            if cursor.fetchone() != (0,):
                return
            time.sleep(0.02)


@pytest.mark.django_db(transaction=True)
class TestTwoAtOnce:
    def test_build_one_after_the_other_so_that_the_last_has_read_everything(self, alice, monkeypatch):
        """The first has read the records when another entry comes and somebody else builds shelves for it."""
        connection = make_connection(alice)
        keep(connection, result(1))
        has_read, may_write = threading.Event(), threading.Event()
        write = building._write

        def slowly(*args, **options):
            if not has_read.is_set():
                has_read.set()
                assert may_write.wait(60)
            write(*args, **options)

        monkeypatch.setattr(building, "_write", slowly)
        first = in_a_thread(lambda: shelving.rebuild(connection, RESULTS, at=AT))
        assert has_read.wait(60)
        second = in_a_thread(lambda: keep(connection, result(2)))
        until_it_ends_or_waits(second)
        may_write.set()
        first.join(60)
        second.join(60)
        (shelf,) = shelves_of(alice)
        assert shelf.index is not None
        assert shelf.index.count == 2

    def test_of_renewing_take_a_connection_once(self, alice):
        connection = make_connection(alice)
        keep(connection, result(1))
        age()
        taken: list[Connection | None] = []
        threads = [in_a_thread(lambda: taken.append(renewing.claim())) for _number in range(4)]
        for thread in threads:
            thread.join(60)
        assert [one for one in taken if one is not None] == [connection]


def shelves_of(user: User):
    with sealing.key_ring(Holder.user(user.pk)) as ring:
        return reading.shelves(user.pk, ring, subjects=["results"])
