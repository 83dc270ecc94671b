"""An account is closed while something of its record is under way: a quiet end, nothing stored, no second attempt."""

import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection as database
from django.db import connections
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.models import AuditEvent
from apps.audit.recording import Actor, EventType
from apps.connections.models import Connection
from apps.portal import closing, disconnection
from apps.records import deleting_copies, syncing, tasks
from apps.records.attachments import storing
from apps.records.models import Attachment, Record, Shelf, SyncRun, SyncStep
from apps.records.syncing import due, running
from apps.records.syncing.workers import leasing
from apps.records.viewing.opening import looking
from apps.vault import shredding
from apps.vault.sealing import Holder
from tests.records.attachments.filing import PDF, hold, linked_to
from tests.records.exporting.taking import sign_in, take
from tests.records.linked import AT, give_tokens, make_connection, make_endpoint
from tests.records.people import R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, PATIENT
from tests.records.runs import sync
from tests.records.shelved import keep, result
from tests.wire.servers import http

pytestmark = pytest.mark.django_db(transaction=True)


def elsewhere(work: Callable[[], Any]) -> None:
    """What another process does, in a database connection of its own."""

    def run() -> None:
        try:
            work()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)


def until_it_ends_or_waits(thread: threading.Thread) -> None:
    """For a lock that we hold; no longer than 20 seconds."""
    asks = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    ends_at = time.monotonic() + 20
    with database.cursor() as cursor:
        while thread.is_alive():
            assert time.monotonic() < ends_at, "it neither ends nor waits"
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(asks)
            if cursor.fetchone() != (0,):
                return
            time.sleep(0.02)


@contextmanager
def at_the_statement(words: tuple[str, ...], work: Callable[[], Any], *, number: int = 1) -> Iterator[None]:
    """Something happens elsewhere, once, just before a statement with all of these words: the first, or a later one."""
    seen: list[str] = []

    def look(execute: Any, sql: str, *rest: Any) -> Any:
        if all(word in sql for word in words):
            seen.append(sql)
            if len(seen) == number:
                elsewhere(work)
        return execute(sql, *rest)

    with database.execute_wrapper(look):
        yield
    assert len(seen) >= number, "there was no such statement"


@pytest.fixture
def shred(alice):
    return lambda: shredding.shred(Holder.user(alice.pk))


@pytest.fixture
def close(alice):
    return lambda: closing.close(alice, at=timezone.now())


def assert_it_ended_quietly(run: SyncRun, caplog: pytest.LogCaptureFixture, *, outcome: str = "failed") -> None:
    run.refresh_from_db()
    assert (run.outcome, run.claim_id, run.pauses) == (outcome, None, 0)
    assert not SyncStep.objects.filter(status__in=["waiting", "getting"]).exists()
    assert not leasing.resumable().exists()
    assert not due.due_for_sync(AT + timedelta(hours=1)).exists()
    assert [line for line in caplog.records if line.levelname == "ERROR"] == []


class TestRunOfAShreddedHolder:
    def test_ends_where_a_page_was_to_be_stored(self, linked, provider, shred, caplog):
        def shredded(_request):
            elsewhere(shred)
            return http(body=R4_PATIENT)

        provider.answers[PATIENT] = shredded
        assert_it_ended_quietly(sync(linked), caplog)
        assert not Record.objects.exists()
        assert provider.sent(ALLERGIES) == []

    def test_ends_where_a_shelf_was_to_be_built(self, linked, shred, caplog):
        with at_the_statement(("SELECT", '"records_record"."sealed_body"'), shred):
            run = sync(linked)
        assert_it_ended_quietly(run, caplog, outcome="complete")  # everything had come
        assert not Shelf.objects.exists()

    def test_ends_before_it_asks_anything(self, linked, provider, shred, caplog):
        shred()
        assert_it_ended_quietly(sync(linked), caplog)
        assert provider.sent(PATIENT) == []

    def test_ends_where_it_was_to_go_on(self, linked, provider, shred, caplog, monkeypatch):
        monkeypatch.setattr(running, "SLICE", timedelta(0))
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=provider.next_url(2)))
        run = sync(linked)
        syncing.advance(run.pk, at=AT)
        shred()
        syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert run.outcome == "partial"  # the Patient had come before
        assert not leasing.resumable().exists()


class TestRunOfAClosedAccount:
    @pytest.mark.parametrize("asked", [PATIENT, ALLERGIES])
    def test_leaves_nothing_of_a_page_under_way(self, linked, provider, close, asked, caplog):
        body = R4_PATIENT if asked == PATIENT else bundle(allergy("a1"))

        def closed(_request):
            elsewhere(close)
            return http(body=body)

        provider.answers[asked] = closed
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        syncing.advance(run.pk, at=AT)
        for model in (User, Connection, SyncRun, SyncStep, Record, Shelf):
            assert not model.objects.exists()
        assert [line for line in caplog.records if line.levelname == "ERROR"] == []

    def test_waits_with_closing_for_a_shelf_that_is_being_built(self, linked, close):
        done = threading.Thread(target=lambda: elsewhere(close))
        with at_the_statement(("SELECT", "records_record", "sealed_body"), done.start):
            run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
            syncing.advance(run.pk, at=AT)
        done.join(20)
        for model in (User, Connection, SyncRun, SyncStep, Record, Shelf):
            assert not model.objects.exists()


class TestAFileThatCameMeanwhile:
    @pytest.mark.parametrize(
        "delete",
        [
            lambda connection: deleting_copies.forget(connection, actor=Actor.user(connection.user_id), at=AT),
            lambda connection: disconnection.delete_copy(connection, at=AT),
            lambda connection: closing.close(connection.user, at=AT),
        ],
        ids=["what came", "the copy", "the account"],
    )
    def test_is_not_kept_and_hinders_no_deletion(self, linked, delete):
        sent = linked_to("document/pdf-1")
        record = hold(linked, sent)
        kept = threading.Thread(target=lambda: elsewhere(lambda: storing.keep(record, sent, PDF, at=AT)))

        def open_file():
            kept.start()
            until_it_ends_or_waits(kept)

        with at_the_statement(("DELETE", "records_recordversion"), open_file):
            delete(linked)
        kept.join(20)
        assert not Record.objects.exists()
        assert not Attachment.objects.exists()


class TestPage:
    def test_of_a_shredded_holder_says_that_it_does_not_open(self, hers, linked, shred):
        give_tokens(linked, issued_at=timezone.now())
        sync(linked, at=timezone.now())
        shred()
        response = hers.get(reverse("record", args=[linked.pk]))
        assert response.status_code == 200
        assert "We cannot open what we keep for you" in response.content.decode()

    def test_of_a_connection_that_went_a_moment_ago_is_not_found(self, hers, linked):
        with at_the_statement(("INSERT", "audit_auditevent"), lambda: Connection.objects.all().delete()):
            assert hers.get(reverse("record", args=[linked.pk])).status_code == 404

    def test_of_a_connection_that_went_a_moment_ago_is_an_error_with_a_name(self, linked):
        Connection.objects.filter(pk=linked.pk).delete()
        with pytest.raises(Connection.DoesNotExist):
            looking.look(linked, session={}, at=AT)


class TestWhatIsAskedForInAnotherTab:
    @pytest.fixture
    def delete(self, linked):
        return lambda: disconnection.disconnect(linked, keeps_copy=False, at=timezone.now())

    def test_to_check_again_finds_the_connection_gone(self, hers, linked, delete):
        address = reverse("check_again", args=[linked.pk])
        with at_the_statement(("SELECT", '"records_syncrun"', "created_at"), delete):
            answer = hers.post(address, follow=True)
        assert answer.redirect_chain == [(reverse("record", args=[linked.pk]), 302)]
        assert answer.status_code == 404

    def test_to_check_again_finds_nobody_signed_in(self, hers, linked, close):
        with at_the_statement(("SELECT", '"records_syncrun"', "created_at"), close):
            answer = hers.post(reverse("check_again", args=[linked.pk]), follow=True)
        assert answer.redirect_chain[-1][0].startswith(reverse("account_login"))

    def test_to_download_a_copy_finds_nobody_signed_in(self, client, alice, linked, close):
        sign_in(client, alice)
        with at_the_statement(("SELECT", '"accounts_user"', "FOR UPDATE"), close):
            answer = take(client, linked)
        assert (answer.status_code, answer["Location"]) == (302, reverse("download_copy"))
        assert not AuditEvent.objects.filter(event=EventType.RECORD_EXPORTED).exists()

    @pytest.mark.parametrize("what", ["summary", "ips"])
    def test_to_take_a_summary_finds_nobody_signed_in(self, client, alice, linked, close, what):
        keep(linked, result(0))
        sign_in(client, alice)
        with at_the_statement(("FROM vault_datakey",), close, number=3):
            answer = take(client, linked, what=what)
        assert (answer.status_code, answer["Location"]) == (302, reverse("download_copy"))
        assert client.get(answer["Location"])["Location"].startswith(reverse("account_login"))

    @pytest.mark.parametrize("name", ["over_time", "save_values"])
    def test_to_see_a_test_over_time_finds_it_gone(self, hers, linked, delete, name):
        keep(linked, result(0), result(1))
        address = reverse(name, args=["results", Record.objects.get(logical_id="o0").pk])
        with at_the_statement(("SELECT link.id",), delete):
            assert hers.get(address).status_code == 404

    def test_leaves_the_schedule_to_the_connections_there_are(self, linked, alice, delete):
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        with at_the_statement(("INSERT", '"records_syncrun"'), delete):
            tasks.start_due_syncs()
        assert [run.connection_id for run in SyncRun.objects.all()] == [other.pk]


class TestRebuildShelves:
    def test_passes_over_a_shredded_holder(self, linked, shred):
        sync(linked)
        shred()
        said = io.StringIO()
        call_command("rebuild_shelves", stdout=said, stderr=said)
        assert str(linked.pk) not in said.getvalue()

    def test_passes_over_a_connection_that_went_a_moment_ago(self, linked, close):
        sync(linked)
        with at_the_statement(("SELECT", "connections_connection", "FOR NO KEY UPDATE"), close):
            call_command("rebuild_shelves", stdout=io.StringIO())
        assert not Shelf.objects.exists()
