"""Syncing in background tasks."""

import time
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.reasons import Reason
from apps.records import syncing, tasks
from apps.records.models import Record, SyncRun, SyncStep
from apps.records.syncing import due
from apps.records.syncing.workers import leasing
from config.celery import SCHEDULE
from tests.records.linked import give_tokens, make_connection, make_endpoint, sign_in_again
from tests.records.provider import METADATA
from tests.wire.servers import http

pytestmark = pytest.mark.django_db(transaction=True)


def wait_for(is_there, seconds=15):
    deadline = time.monotonic() + seconds
    while not is_there():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@pytest.fixture
def run(linked):
    give_tokens(linked, issued_at=timezone.now())
    return syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())


def is_finished(run):
    return lambda: SyncRun.objects.filter(pk=run.pk, finished_at__isnull=False).exists()


class TestEnqueuedRun:
    def test_is_done_by_a_worker(self, run, worker):
        tasks.enqueue()
        wait_for(is_finished(run))
        assert Record.objects.count() == 3

    def test_is_not_enqueued_where_the_transaction_fails(self, run, worker, provider):
        with suppress(RuntimeError), transaction.atomic():
            tasks.enqueue()
            raise RuntimeError
        time.sleep(0.3)
        assert provider.asked == []

    def test_is_asked_for_by_a_message_that_says_nothing_about_it(self, run, monkeypatch):
        sent: list[dict[str, object]] = []
        monkeypatch.setattr(tasks.sync_next, "apply_async", lambda **options: sent.append(options))
        tasks.enqueue()
        assert sent == [{"expires": 300}]

    def test_is_followed_by_another_message_for_what_else_waits(self, run, monkeypatch):
        """One message means one turn: of a run given back, and of those beyond the room of a server, others follow."""
        sent: list[dict[str, object]] = []
        monkeypatch.setattr(tasks.sync_next, "apply_async", lambda **options: sent.append(options))
        tasks.sync_next()
        assert is_finished(run)()
        assert len(sent) == 1
        tasks.sync_next()
        assert len(sent) == 1

    def test_is_not_lost_with_the_queue(self, run, monkeypatch):
        def gone(*args, **options):
            raise ConnectionError

        monkeypatch.setattr(tasks.sync_next, "apply_async", gone)
        tasks.enqueue()
        assert SyncRun.objects.get().finished_at is None


class TestDueSync:
    def test_is_started_for_a_connection_not_checked_for_a_day(self, linked, worker):
        give_tokens(linked, issued_at=timezone.now())
        tasks.start_due_syncs.delay()
        wait_for(lambda: SyncRun.objects.filter(cause=SyncRun.Cause.SCHEDULE, outcome="complete").exists())

    def test_is_asked_for_at_once_and_one_that_ended_meanwhile_holds_up_no_other(
        self, linked, alice, sam, monkeypatch, provider
    ):
        sent: list[dict[str, object]] = []
        monkeypatch.setattr(tasks.sync_next, "apply_async", lambda **options: sent.append(options))
        others = [make_connection(user, linked.endpoint, fhir_patient_id=user.email) for user in (alice, sam)]
        ended = next(due.due_for_sync(timezone.now()).iterator())
        start = syncing.start

        def starting(connection, **how):
            if connection == ended:  # it ended after it was found
                connection.status = Connection.Status.DISCONNECTED
            return start(connection, **how)

        monkeypatch.setattr(syncing, "start", starting)
        tasks.start_due_syncs()
        started = {run.connection for run in SyncRun.objects.all()}
        assert started == {linked, *others} - {ended}
        assert sent == [{"expires": 300}] * 2

    def test_is_not_started_twice_within_a_day(self, run):
        SyncRun.objects.update(finished_at=timezone.now(), outcome="failed")
        assert not due.due_for_sync(timezone.now() + timedelta(hours=23)).exists()
        assert due.due_for_sync(timezone.now() + timedelta(hours=25)).get() == run.connection

    @pytest.mark.parametrize("off_by", [timedelta(days=1), timedelta(days=-1)])
    def test_is_started_by_the_databases_moment_whatever_the_workers_machine_says(self, linked, monkeypatch, off_by):
        """One whose clock is a day ahead would ask every provider for every record each minute."""
        now = timezone.now()
        give_tokens(linked, issued_at=now)
        monkeypatch.setattr(timezone, "now", lambda: now + off_by)
        Connection.objects.update(last_checked_at=now - timedelta(hours=2))
        tasks.start_due_syncs()
        assert not SyncRun.objects.exists()
        Connection.objects.update(last_checked_at=now - timedelta(hours=26))
        tasks.start_due_syncs()
        assert SyncRun.objects.filter(cause=SyncRun.Cause.SCHEDULE).count() == 1

    def test_is_started_soon_after_a_sign_in_that_the_last_run_lacked(self, run):
        SyncStep.objects.create(
            run=run, user=run.user, resource_type="Patient", status="gap", gap=SyncStep.Gap.SIGN_IN_NEEDED
        )
        SyncRun.objects.update(finished_at=timezone.now(), outcome="failed")
        run.connection.require_reauthorization(Reason.GRANT_ENDED, at=timezone.now())
        assert not due.due_for_sync(timezone.now()).exists()
        run.connection.restore()
        assert due.due_for_sync(timezone.now()).get() == run.connection

    def test_is_started_soon_after_a_sign_in_that_renewed_the_connection(self, linked, worker):
        now = timezone.now()
        give_tokens(linked, issued_at=now)
        Connection.objects.update(last_checked_at=now - timedelta(hours=2))
        assert not due.due_for_sync(now).exists()
        sign_in_again(linked, at=now - timedelta(minutes=1))
        tasks.start_due_syncs.delay()
        wait_for(lambda: SyncRun.objects.filter(cause=SyncRun.Cause.SCHEDULE, outcome="complete").exists())
        assert not due.reauthorized(timezone.now()).exists()

    @pytest.mark.parametrize(
        "columns",
        [
            {"outcome": "cancelled"},
            {"is_reauthorization": False},
            {"claimed_at": timezone.now() - timedelta(hours=2)},
        ],
        ids=lambda columns: ",".join(columns),
    )
    def test_is_not_started_early_by_a_sign_in_that_renewed_nothing(self, linked, columns):
        renewal = sign_in_again(linked, at=timezone.now())
        assert due.reauthorized(timezone.now()).get() == linked
        AuthorizationRequest.objects.filter(pk=renewal.pk).update(**columns)
        assert not due.reauthorized(timezone.now()).exists()

    def test_comes_first_where_nothing_was_ever_checked(self, linked, alice):
        linked.last_checked_at = timezone.now() - timedelta(days=9)
        linked.save()
        never = make_connection(alice, make_endpoint("https://other.example/r4"))
        assert list(due.due_for_sync(timezone.now())) == [never, linked]

    def test_is_not_started_beside_a_run_that_is_open(self, run):
        assert not due.due_for_sync(timezone.now() + timedelta(hours=25)).exists()

    def test_is_not_started_where_the_patient_must_sign_in(self, linked):
        linked.require_reauthorization(Reason.GRANT_ENDED, at=timezone.now())
        assert not due.due_for_sync(timezone.now()).exists()


class TestResuming:
    def test_takes_up_what_nobody_holds(self, run, worker):
        tasks.resume_syncs.delay()
        wait_for(is_finished(run))

    def test_takes_up_what_a_dead_worker_held(self, run, worker):
        SyncRun.objects.update(claim_id=run.pk, lease_until=Now() - timedelta(seconds=1))
        tasks.resume_syncs.delay()
        wait_for(is_finished(run))

    def test_leaves_alone_what_is_held_or_paused(self, run, provider):
        provider.answers[METADATA] = http(503)
        syncing.advance(run.pk, at=timezone.now())
        asked = len(provider.asked)
        tasks.resume_syncs()
        assert len(provider.asked) == asked
        assert not leasing.resumable().exists()

    def test_happens_every_minute(self):
        row = next(row for row in SCHEDULE if row.task == tasks.resume_syncs.name)
        assert row.every == timedelta(minutes=1)
