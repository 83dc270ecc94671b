"""A sync while a key of ours is missing: it waits, occupies no worker, blames nobody, and continues when the key is
back."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections.models import Connection
from apps.records import syncing
from apps.records.models import Record, SyncRun
from apps.records.syncing.workers import leasing
from tests.records.linked import give_tokens, make_connection, make_endpoint
from tests.records.people import R4_PATIENT
from tests.records.provider import PATIENT, running
from tests.vault.losing import without_key
from tests.wire.servers import http

__all__ = ["without_key"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider():
    with running() as provider:
        provider.answers[PATIENT] = http(body=R4_PATIENT)
        yield provider


@pytest.fixture
def run(alice, provider):
    endpoint = make_endpoint(provider.base_url, token_url=provider.server.url("/oauth/token"))
    connection = make_connection(alice, endpoint)
    give_tokens(connection, issued_at=timezone.now())
    return syncing.start(connection, cause=SyncRun.Cause.SCHEDULE, at=timezone.now())


def let_time_pass(run: SyncRun) -> None:
    """The database's clock cannot be moved: what waits until then waits no more."""
    SyncRun.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


class TestASyncWithoutItsKey:
    def test_waits_and_goes_on_when_it_is_back(self, run, without_key, caplog):
        with without_key():
            for _ in range(5):  # more often than a provider that does not answer is asked again
                syncing.advance(run.pk, at=timezone.now())
                let_time_pass(run)
        run.refresh_from_db()
        assert (run.finished_at, run.pauses) == (None, 0)
        assert f"A sync run waits for a key of ours: run {run.pk}: No key is at hand" in caplog.text
        syncing.advance(run.pk, at=timezone.now())
        run.refresh_from_db()
        assert run.finished_at is not None
        assert Record.objects.filter(connection=run.connection_id).exists()

    def test_is_not_taken_up_again_at_once(self, run, without_key):
        with without_key():
            assert syncing.advance_next(at=timezone.now())
            assert not syncing.advance_next(at=timezone.now())
        assert not leasing.resumable().exists()

    def test_blames_nobody(self, run, without_key):
        with without_key():
            syncing.advance(run.pk, at=timezone.now())
        connection = Connection.objects.get(pk=run.connection_id)
        assert (connection.status, connection.reason, connection.registration.trouble) == ("active", "", "")
        assert not AuditEvent.objects.filter(event="connection.needs_reauthorization").exists()
        assert not run.steps.filter(status="gap").exclude(gap="not_offered").exists()
