"""The database itself keeps the audit log append-only, and its columns consistent."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from apps.audit import recording
from apps.audit.models import AuditEvent, EventType
from apps.audit.recording import Actor

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.fixture
def event():
    recording.record(EventType.USER_SIGNED_UP, actor=Actor.system("test"), at=AT)
    return AuditEvent.objects.get()


def refused_sql(statement: str) -> None:
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


class TestAuditEvent:
    def test_cannot_be_changed(self, event):
        event.event = EventType.ACCOUNT_CLOSED
        with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
            event.save()
        refused_sql("UPDATE audit_auditevent SET at = now()")
        assert AuditEvent.objects.get().event == EventType.USER_SIGNED_UP

    def test_cannot_be_removed(self, event):
        with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
            event.delete()
        refused_sql("DELETE FROM audit_auditevent WHERE false")
        assert AuditEvent.objects.count() == 1

    def test_cannot_be_truncated_outside_tests(self, event):
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL holdfast.audit_may_be_truncated = 'off'")
        refused_sql("TRUNCATE audit_auditevent")
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL holdfast.audit_may_be_truncated = ''")
        refused_sql("TRUNCATE audit_auditevent")
        assert AuditEvent.objects.count() == 1

    def test_cannot_be_overwritten_by_an_insert(self, event):
        refused_sql(
            "INSERT INTO audit_auditevent SELECT * FROM audit_auditevent ON CONFLICT (id) DO UPDATE SET at = now()"
        )

    @pytest.mark.parametrize(
        "columns",
        [
            {"actor_kind": "user"},
            {"actor_kind": "user", "actor_id": uuid4(), "actor_name": "beat"},
            {"actor_kind": "system"},
            {"actor_kind": "system", "actor_id": uuid4(), "actor_name": "beat"},
            {"actor_kind": "nobody", "actor_name": "beat"},
            {"actor_kind": "system", "actor_name": "beat", "facts": [1]},
            {"actor_kind": "system", "actor_name": "beat", "subject_id": "7"},
        ],
    )
    def test_is_refused_when_its_columns_disagree(self, columns):
        with pytest.raises(IntegrityError), transaction.atomic():
            AuditEvent.objects.create(at=AT, event=EventType.USER_SIGNED_UP, **columns)

    def test_has_no_foreign_keys(self):
        assert not any(field.is_relation for field in AuditEvent._meta.get_fields())


@pytest.mark.django_db(transaction=True)
class TestTestDatabase:
    def test_can_be_emptied_between_tests_that_commit(self, event):
        assert AuditEvent.objects.count() == 1  # the flush after this test fails loudly if TRUNCATE is refused
