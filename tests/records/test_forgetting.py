"""Forgetting what was copied."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent, EventType
from apps.audit.recording import Actor
from apps.records import forgetting, syncing
from apps.records.forgetting import Forgotten
from apps.records.models import Leaf, Record, RecordVersion, Shelf, SyncRun, SyncStep
from tests.records.linked import AT, give_tokens, make_connection, make_endpoint
from tests.records.people import R4_PATIENT
from tests.records.provider import PATIENT
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

EVERYTHING = (Leaf, Record, RecordVersion, Shelf, SyncRun, SyncStep)


def sync(connection, at=AT):
    run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=at)
    syncing.advance(run.pk, at=at)


class TestForgetting:
    @pytest.mark.conformance("C65")
    def test_leaves_no_row_of_the_connection(self, linked, provider):
        sync(linked)
        provider.answers[PATIENT] = http(body={**R4_PATIENT, "gender": "other"})
        sync(linked, at=AT + timedelta(minutes=10))
        forgotten = forgetting.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        assert forgotten == Forgotten(records=3, versions=1, shelves=2, runs=2)
        assert [model.__name__ for model in EVERYTHING if model.objects.exists()] == []

    def test_leaves_every_other_connection_alone(self, linked, alice, provider):
        sync(linked)
        other = make_connection(
            alice, make_endpoint(provider.base_url + "/", token_url=provider.server.url("/oauth/other-token"))
        )
        give_tokens(other)
        sync(other)
        forgetting.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        assert set(Record.objects.values_list("connection", flat=True)) == {other.pk}
        assert set(Shelf.objects.values_list("connection", flat=True)) == {other.pk}

    def test_is_written_down_with_a_number_and_nothing_else(self, linked):
        sync(linked)
        forgetting.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        event = AuditEvent.objects.get(event=EventType.RECORD_FORGOTTEN)
        assert (event.subject_id, event.facts) == (str(linked.pk), {"rows": 3})

    def test_twice_is_as_once(self, linked):
        sync(linked)
        forgetting.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        again = forgetting.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        assert again == Forgotten(records=0, versions=0, shelves=0, runs=0)
