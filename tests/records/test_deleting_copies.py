"""Deleting what was copied."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection as database
from django.db.models import ForeignKey, OneToOneField
from django.test.utils import CaptureQueriesContext

from apps.audit.models import AuditEvent, EventType
from apps.audit.recording import Actor
from apps.connections.models import Connection
from apps.records import deleting_copies, syncing
from apps.records.models import (
    Attachment,
    PendingRead,
    QuarantinedRow,
    Record,
    Shelf,
    SyncRun,
)
from tests.records.linked import AT, give_tokens, make_connection, make_endpoint
from tests.records.people import R4_PATIENT
from tests.records.provider import PATIENT
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

# What belongs to the link and not to what it brought: it goes when the link does.
OF_THE_LINK = {"AuthorizationRequest", "LapseWarning", "PendingLaunch", "StoredTokenSet"}


def sync(connection, at=AT):
    run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=at)
    syncing.advance(run.pk, at=at)


def paths_to_connection(model, seen=()):
    """Every way in which rows of this model hang on a connection, as lookups."""
    for field in model._meta.get_fields():
        if isinstance(field, ForeignKey | OneToOneField) and field.related_model not in seen:
            if field.related_model is Connection:
                yield field.name
            for path in paths_to_connection(field.related_model, (*seen, model)):
                yield f"{field.name}__{path}"


def brought_by_connections():
    """The models of which rows hang on a connection, whoever wrote them, each with its shortest lookup."""
    found = {model: sorted(paths_to_connection(model), key=len) for model in apps.get_models()}
    return {model: paths[0] for model, paths in found.items() if paths and model.__name__ not in OF_THE_LINK}


def counted(connection):
    return {
        model.__name__: model.objects.filter(**{path: connection}).count()
        for model, path in brought_by_connections().items()
    }


def bring_everything(connection, provider, at=AT):
    """A row in every table that a connection can fill."""
    sync(connection, at=at)
    provider.answers[PATIENT] = http(body={**R4_PATIENT, "gender": str(at.minute)})
    sync(connection, at=at + timedelta(minutes=10))
    record, run = connection.records.earliest("pk"), connection.sync_runs.earliest("created_at")
    mine = {"user": connection.user, "connection": connection, "digest": b"d" * 32}
    Attachment.objects.create(record=record, sealed_content=b"sealed", fetched_at=at, **mine)
    QuarantinedRow.objects.create(run=run, resource_type="Goal", sealed_body=b"sealed", received_at=at, **mine)
    PendingRead.objects.create(run=run, resource_type="Practitioner", logical_id="d-1")


class TestDeletingCopies:
    @pytest.mark.conformance("C65")
    def test_empties_every_table_that_hangs_on_a_connection(self, linked, alice, provider):
        other = make_connection(
            alice, make_endpoint(provider.base_url + "/", token_url=provider.server.url("/oauth/other-token"))
        )
        give_tokens(other)
        for connection in (linked, other):
            bring_everything(connection, provider)
        kept = counted(other)
        assert [name for name, count in counted(linked).items() if not count] == [], "give this table a row as well"
        deleting_copies.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        assert [name for name, count in counted(linked).items() if count] == []
        assert counted(other) == kept

    def test_loads_no_record(self, linked, provider):
        bring_everything(linked, provider)
        with CaptureQueriesContext(database) as queries:
            deleting_copies.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        read = [query["sql"] for query in queries if query["sql"].startswith("SELECT")]
        assert [sql for sql in read if "sealed" in sql] == []

    def test_leaves_every_other_connection_alone(self, linked, alice, provider):
        sync(linked)
        other = make_connection(
            alice, make_endpoint(provider.base_url + "/", token_url=provider.server.url("/oauth/other-token"))
        )
        give_tokens(other)
        sync(other)
        deleting_copies.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        assert set(Record.objects.values_list("connection", flat=True)) == {other.pk}
        assert set(Shelf.objects.values_list("connection", flat=True)) == {other.pk}

    def test_is_written_down_with_a_number_and_nothing_else(self, linked):
        sync(linked)
        deleting_copies.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        event = AuditEvent.objects.get(event=EventType.RECORD_FORGOTTEN)
        assert (event.subject_id, event.facts) == (str(linked.pk), {"rows": 3})

    def test_twice_is_as_once(self, linked):
        sync(linked)
        deleting_copies.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        deleting_copies.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        events = AuditEvent.objects.filter(event=EventType.RECORD_FORGOTTEN)
        assert sorted(event.facts["rows"] for event in events) == [0, 3]
