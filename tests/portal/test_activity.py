"""Activity: the audit log as its own person reads it."""

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from tests.records.linked import make_connection

pytestmark = pytest.mark.django_db


def note(user, event=EventType.RECORD_VIEWED, actor=None, **about):
    recording.record(event, actor=actor or Actor.user(user.pk), at=timezone.now(), user_id=user.pk, **about)


def page(client, query=""):
    response = client.get(reverse("activity") + query)
    assert response.status_code == 200
    return response.content.decode()


class TestActivity:
    def test_says_what_happened_by_whom_and_where(self, hers, alice, endpoint, stella):
        connection = make_connection(alice, endpoint)
        note(alice, subject="connection", subject_id=str(connection.pk))
        note(alice, EventType.STAFF_VIEWED, Actor.staff(stella.pk))
        note(alice, EventType.SYNC_FINISHED, Actor.system("sync"))
        text = page(hers)
        for shown in ("Record viewed", "You", "Harbor Family Practice", "Holdfast staff", "Holdfast, by itself"):
            assert shown in text
        assert text.index("Copying finished") < text.index("Record viewed")

    def test_shows_nothing_of_anybody_else(self, hers, sam):
        note(sam, EventType.RECORD_EXPORTED)
        assert "Record exported" not in page(hers)

    def test_goes_on_where_the_page_before_ended(self, hers, alice):
        note(alice, EventType.CONSENT_GIVEN)
        for _number in range(51):
            note(alice)
        first = page(hers)
        assert "Consent given" not in first
        before = first.split("?before=")[1].split('"')[0]
        assert "Consent given" in page(hers, f"?before={before}")

    @pytest.mark.parametrize("before", ["", "x", "-1", "9" * 40, "%00", "1e3", "²"])
    def test_takes_any_address(self, hers, before):
        page(hers, f"?before={before}")

    def test_asks_whoever_is_signed_out_to_sign_in(self, client):
        assert client.get(reverse("activity")).status_code == 302

    def test_knows_no_word_that_only_programmers_know(self):
        assert [event for event in EventType if "token" in str(event.label).lower()] == []
