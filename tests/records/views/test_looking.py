"""A look at a record is recorded, whichever page is opened first."""

from base64 import b64encode
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.records.models import Record
from apps.records.viewing.opening import looking
from tests.records.linked import AT
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

LETTER = {
    "resourceType": "DocumentReference",
    "id": "d1",
    "status": "current",
    "type": {"text": "Letter"},
    "subject": {"reference": f"Patient/{PATIENT_ID}"},
    "content": [{"attachment": {"contentType": "text/plain", "data": b64encode(b"Dear Wrenna").decode()}}],
}


def pages_of_one():
    """Every page of one entry, and of a file of one."""
    for name in ("entry", "entry_as_sent", "over_time", "save_values"):
        yield reverse(name, args=["results", Record.objects.get(logical_id="o0").pk])
    for name in ("file", "save_file"):
        yield reverse(name, args=[Record.objects.get(logical_id="d1").pk, 0])


def seen():
    """Whose record was looked at, when, and by whom."""
    events = AuditEvent.objects.filter(event=EventType.RECORD_VIEWED).order_by("pk")
    return [(event.subject_id, event.at, event.actor_id) for event in events]


class TestLooking:
    @pytest.mark.parametrize("number", range(6))
    def test_is_written_down_whichever_page_is_the_first(self, hers, sam, connection, number):
        keep(connection, result(0), LETTER)
        address = list(pages_of_one())[number]
        assert hers.get(address).status_code == 200
        looked_at = seen()
        assert (str(connection.pk), connection.user_id) in [(one, by) for one, _at, by in looked_at]
        hers.force_login(sam)
        assert hers.get(address).status_code == 404
        assert seen() == looked_at

    def test_is_written_down_once_a_day_in_each_browser(self, connection):
        session: dict[str, Any] = {}
        for hours in (0, 1, 24, 25):
            looking.note([connection], session=session, at=AT + timedelta(hours=hours))
        looking.note([connection], session={}, at=AT + timedelta(hours=26))
        assert [(at - AT).total_seconds() / 3600 for _connection, at, _by in seen()] == [0, 24, 26]

    def test_is_written_down_anew_on_each_day_of_its_reader(self, connection):
        """The day in London may be the same in the evening and on the next morning: who looked then would be told that
        they had not."""
        session: dict[str, Any] = {}
        evening, late, morning = (AT.replace(day=day, hour=hour) for day, hour in ((20, 23), (21, 4), (21, 17)))
        with timezone.override("America/Los_Angeles"):
            for at in (evening, late, morning):
                looking.note([connection], session=session, at=at)
        assert [at for _connection, at, _by in seen()] == [evening, morning]

    def test_is_written_down_again_after_a_check(self, connection):
        session: dict[str, Any] = {}
        for hours, checked in ((0, -1), (1, -1), (2, 1.5), (3, 1.5), (4, 9), (5, 9)):
            connection.last_checked_at = AT + timedelta(hours=checked)
            looking.note([connection], session=session, at=AT + timedelta(hours=hours))
        assert [(at - AT).total_seconds() / 3600 for _connection, at, _by in seen()] == [0, 2]

    def test_that_an_earlier_release_wrote_down_counts_for_its_day(self, connection):
        session: dict[str, Any] = {"records_seen": {str(connection.pk): AT.date().isoformat()}}
        for hours in (1, 24):
            looking.note([connection], session=session, at=AT + timedelta(hours=hours))
        assert [(at - AT).total_seconds() / 3600 for _connection, at, _by in seen()] == [24]

    def test_at_one_record_is_no_look_at_another(self, connection, other):
        session: dict[str, Any] = {}
        for looked_at in ([connection], [other], [connection, other]):
            looking.note(looked_at, session=session, at=AT)
        assert [looked_at for looked_at, _at, _by in seen()] == [str(connection.pk), str(other.pk)]

    def test_at_several_records_is_written_by_one_statement(self, connection, other, django_assert_num_queries):
        with django_assert_num_queries(1):
            looking.note([connection, other], session={}, at=AT)
        assert {one for one, _at, _by in seen()} == {str(connection.pk), str(other.pk)}
