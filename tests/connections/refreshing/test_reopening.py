"""A server refuses to open a record with tokens it has just issued: it is retried for half a day, until it opens."""

from datetime import timedelta

import pytest
from django.db import connection as database

from apps.audit.models import AuditEvent, EventType
from apps.connections import reachability, refreshing, tallying
from apps.connections.models import Connection, EndpointSilence, MoveNotAllowed, StoredTokenSet
from apps.connections.presenting import standing
from apps.connections.refreshing import doubting, reopening
from tests.connections.link_rows import make_link, make_registration, provider, registration
from tests.connections.provider_stand_in import PERSON
from tests.connections.refreshing.beats import beat, status
from tests.connections.refreshing.postgres_ground import tokens_of
from tests.wire.servers import http

__all__ = ["make_link", "make_registration", "provider", "registration"]  # fixtures

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
CLOSED = http(401, {}, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})
OPEN = http(body=PERSON)
TAKEN = http(body={"access_token": "fresh", "refresh_token": "another"})


@pytest.fixture
def closed_at(connection, issued_at, stand_in):
    """A check of the record was refused with tokens that had just been renewed, and so would the next be."""
    stand_in.token, stand_in.reading = TAKEN, CLOSED
    refreshing.data_refused(connection, at=issued_at + HOUR)
    return issued_at + HOUR


class TestARecordThatWasClosed:
    def test_counts_as_ended_and_says_that_we_look_again(self, closed_at):
        shown = standing.of_connection(Connection.objects.get(), at=closed_at + MINUTE)
        assert (status(), shown.needs_you, shown.action) == ("needs_reauthorization", True, "Sign in again")
        assert "try again a few times, because this may well be their mistake" in shown.sentence

    def test_is_back_as_soon_as_its_patient_can_be_read_with_renewed_tokens(self, closed_at, stand_in, connection):
        stand_in.reading = OPEN
        assert beat(closed_at + 4 * MINUTE) == 0
        assert beat(closed_at + 5 * MINUTE) == 1
        (reading,) = stand_in.readings
        assert reading.headers["authorization"] == "Bearer fresh"
        row, stored = Connection.objects.get(), StoredTokenSet.objects.get()
        assert (row.status, row.reason, row.reason_at) == ("active", "", None)
        assert (stored.refused_at, stored.is_data_refused) == (None, False)
        assert refreshing.usable_token(connection, at=closed_at + 6 * MINUTE).reveal() == "fresh"

    def test_is_renewed_as_usual_from_then_on(self, closed_at, stand_in):
        stand_in.reading = OPEN
        assert beat(closed_at + 5 * MINUTE) == 1
        stand_in.token = http(body={"access_token": "fresher", "refresh_token": "yet another"})
        assert beat(closed_at + 30 * MINUTE) == 1
        assert len(stand_in.readings) == 1
        assert StoredTokenSet.objects.get().refresh_due_at > closed_at + 10 * HOUR

    @pytest.mark.parametrize("answer", [http(403, {}), http(404, {})], ids=["not shared", "not there"])
    def test_is_back_where_the_token_is_good_and_the_patient_is_not_shown(self, closed_at, stand_in, answer):
        stand_in.reading = answer
        beat(closed_at + 5 * MINUTE)
        assert status() == "active"

    @pytest.mark.parametrize("answer", [CLOSED, http(503, {}), http(429, {}), http(406, {}), http(body="<html>")])
    def test_stays_ended_and_keeps_its_new_tokens_where_it_does_not_open(self, closed_at, stand_in, answer):
        stand_in.reading = answer
        beat(closed_at + 5 * MINUTE)
        stored = StoredTokenSet.objects.get()
        assert (status(), stored.refused_at, stored.is_data_refused) == ("needs_reauthorization", closed_at, True)
        assert stored.refresh_due_at == closed_at + 30 * MINUTE
        beat(closed_at + 30 * MINUTE)
        assert dict(stand_in.token_requests[-1].query)["refresh_token"] == "another"

    def test_is_looked_at_during_half_a_day_and_then_left(self, closed_at, stand_in):
        looked = [minutes for minutes in range(0, 24 * 60, 5) if beat(closed_at + minutes * MINUTE)]
        assert looked == [5, 30, 120, 360, 720]
        assert len(stand_in.readings) == 5
        stored = StoredTokenSet.objects.get()
        assert (stored.refused_at, stored.is_data_refused, stored.refresh_due_at) == (None, False, None)
        shown = standing.of_connection(Connection.objects.get(), at=closed_at + 24 * HOUR)
        assert "renewed the permission but no longer lets us read the record" in shown.sentence

    def test_is_back_also_where_it_opens_at_the_last_look(self, closed_at, stand_in):
        for minutes in (5, 30, 120, 360):
            beat(closed_at + minutes * MINUTE)
        stand_in.reading = OPEN
        assert beat(closed_at + 12 * HOUR) == 1
        assert status() == "active"
        assert beat(closed_at + 18 * HOUR) == 1  # and goes on being renewed

    def test_is_looked_at_by_the_next_worker_where_one_died_over_it(self, closed_at, stand_in, monkeypatch):
        with monkeypatch.context() as dying:
            dying.setattr(reopening, "look", lambda *_args, **_kwargs: None)
            beat(closed_at + 12 * HOUR)
        stored = StoredTokenSet.objects.get()
        assert (stored.is_data_refused, stored.refresh_due_at) == (True, closed_at + 18 * HOUR)
        stand_in.reading = OPEN
        beat(closed_at + 18 * HOUR)
        assert status() == "active"

    def test_is_tried_for_a_day_where_nobody_answers(self, closed_at, stand_in):
        stand_in.reading = http(503, {})
        tried = [minutes / 60 for minutes in range(0, 48 * 60, 5) if beat(closed_at + minutes * MINUTE)]
        assert tried[-3:] == [12, 18, 24]
        assert (status(), StoredTokenSet.objects.get().refresh_due_at) == ("needs_reauthorization", None)

    def test_is_back_where_it_opens_at_the_very_last_look(self, closed_at, stand_in):
        stand_in.reading = http(503, {})
        for minutes in (5, 30, 120, 360, 720, 1080):
            beat(closed_at + minutes * MINUTE)
        stand_in.reading = OPEN
        assert beat(closed_at + 24 * HOUR) == 1
        assert status() == "active"
        assert beat(closed_at + 30 * HOUR) == 1  # and goes on being renewed

    def test_is_one_patients_silence_however_often_it_is_looked_at(self, closed_at, stand_in):
        stand_in.reading = http(503, {})
        for minutes in (5, 30, 120):
            beat(closed_at + minutes * MINUTE)
        assert EndpointSilence.objects.get().turns == 1

    def test_ends_a_silence_by_its_answer(self, closed_at, stand_in, connection):
        reachability.not_answered(connection.endpoint, at=closed_at)
        beat(closed_at + 5 * MINUTE)
        assert not EndpointSilence.objects.exists()

    def test_wins_no_time_by_opening_now_and_then(self, closed_at, connection, stand_in):
        at = closed_at
        rounds = []
        for minutes in range(0, 12 * 60, 5):
            at = closed_at + minutes * MINUTE
            stand_in.reading = OPEN
            if beat(at) and status() == "active":
                rounds.append(minutes)
                connection.refresh_from_db()
                refreshing.data_refused(connection, at=at)
        assert rounds == [5, 30, 120, 360]

    def test_is_as_one_that_never_was_half_a_day_later(self, closed_at, connection, stand_in):
        stand_in.reading = OPEN
        beat(closed_at + 5 * MINUTE)
        connection.refresh_from_db()
        refreshing.data_refused(connection, at=closed_at + 13 * HOUR)
        assert StoredTokenSet.objects.get().refresh_due_at == closed_at + 13 * HOUR + 5 * MINUTE

    def test_is_looked_at_also_with_tokens_that_were_asked_for_before(self, connection, issued_at, stand_in):
        """A renewal was under way when a check of the record was refused."""

        def refusing(_request):
            refreshing.data_refused(Connection.objects.get(), at=issued_at + HOUR)
            database.close()  # this thread's
            yield TAKEN

        stand_in.token, stand_in.reading = refusing, CLOSED
        StoredTokenSet.objects.update(refresh_due_at=issued_at + HOUR)
        assert beat(issued_at + HOUR) == 1
        assert (status(), len(stand_in.readings)) == ("needs_reauthorization", 1)
        assert StoredTokenSet.objects.get().is_data_refused

    def test_opens_for_two_who_look_at_once(self, closed_at, stand_in):
        def another(_request):
            Connection.objects.update(status="active", reason="", reason_at=None)
            database.close()  # this thread's
            yield OPEN

        stand_in.reading = another
        beat(closed_at + 5 * MINUTE)
        stored = StoredTokenSet.objects.get()
        assert (status(), stored.refused_at, stored.is_data_refused) == ("active", None, False)

    def test_says_nothing_of_its_server_where_somebody_elses_was_checked_since(self, closed_at, connection, make_link):
        assert doubting.suspicious().count() == 1
        make_link(under=connection.registration, endpoint=connection.endpoint, last_checked_at=closed_at + MINUTE)
        assert doubting.doubted().count() == 1
        assert not doubting.suspicious().exists()

    def test_costs_nobody_a_wait_where_its_records_are_known_to_be_silent(self, closed_at, stand_in, connection):
        for minutes in (-40, 0):
            reachability.not_answered(connection.endpoint, at=closed_at + minutes * MINUTE)
        assert beat(closed_at + 5 * MINUTE) == 1
        assert stand_in.readings == []
        assert StoredTokenSet.objects.get().refresh_due_at == closed_at + 30 * MINUTE

    def test_is_not_hurried_by_a_server_that_renews_what_it_does_not_open(self, closed_at, connection):
        tallying.count(connection.registration_id, tallying.Outcome.SUCCEEDED, at=closed_at + 6 * MINUTE)
        assert doubting.hasten(at=closed_at + 7 * MINUTE) == 0

    def test_proves_nothing_of_tokens_that_were_refused(self, closed_at, connection):
        beat(closed_at + 5 * MINUTE)
        assert not tallying.succeeded_since(connection.registration_id, closed_at)

    def test_is_doubted_anew_where_its_tokens_are_refused_too(self, closed_at, stand_in, connection):
        tallying.count(connection.registration_id, tallying.Outcome.SUCCEEDED, at=closed_at + 2 * MINUTE)
        stand_in.token = http(400, {"error": "invalid_grant"})
        asked = [minutes for minutes in range(0, 24 * 60, 5) if beat(closed_at + minutes * MINUTE)]
        assert asked == [5, 10, 35, 125, 365, 725]
        assert stand_in.readings == []
        assert Connection.objects.get().reason == "grant_ended"
        assert AuditEvent.objects.filter(event=EventType.TOKENS_REFUSED).count() == 1
        stored = StoredTokenSet.objects.get()
        assert (stored.refused_at, stored.is_data_refused, stored.refresh_due_at) == (None, False, None)

    def test_is_looked_at_no_more_after_a_new_sign_in(self, closed_at, connection, stand_in):
        refreshing.keep(connection, tokens_of(2), issued_at=closed_at + MINUTE)
        assert beat(closed_at + 5 * MINUTE) == 0
        assert StoredTokenSet.objects.get().is_data_refused is False

    def test_stays_disconnected_where_its_patient_did_that_meanwhile(self, closed_at, connection, stand_in):
        def disconnecting(_request):
            Connection.objects.get().disconnect(at=closed_at + 5 * MINUTE)
            database.close()  # this thread's
            yield OPEN

        stand_in.reading = disconnecting
        beat(closed_at + 5 * MINUTE)
        assert status() == "disconnected"

    def test_is_not_looked_at_where_only_its_patient_can_renew(self, connection, issued_at):
        StoredTokenSet.objects.update(sealed_refresh_token=None, refresh_due_at=None)
        refreshing.data_refused(connection, at=issued_at + HOUR)
        assert beat(issued_at + 2 * HOUR) == 0
        assert not doubting.doubted().exists()

    def test_is_not_looked_at_where_its_session_ends_with_its_patient(self, connection, issued_at):
        StoredTokenSet.objects.update(is_session_bound=True, refresh_due_at=None)
        refreshing.data_refused(connection, at=issued_at + HOUR)
        assert not doubting.doubted().exists()

    def test_is_told_of_once(self, closed_at):
        for minutes in (5, 30, 120, 360, 720):
            beat(closed_at + minutes * MINUTE)
        assert AuditEvent.objects.filter(event=EventType.TOKENS_REFRESHED).count() == 5
        assert not AuditEvent.objects.filter(event=EventType.TOKENS_REFUSED).exists()


def test_a_link_that_was_disconnected_meanwhile_is_not_looked_at(connection, issued_at):
    connection.disconnect(at=issued_at)
    with pytest.raises(MoveNotAllowed):
        refreshing.data_refused(connection, at=issued_at + HOUR)
