"""Access tokens: which one is returned, when they are refreshed, and what each answer causes."""

from datetime import timedelta

import pytest
from django.db import connection as database

from apps.audit.models import AuditEvent
from apps.connections import refreshing
from apps.connections.callback import confirming
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import token_lookup
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.errors import ClientRejected, RequestRefused, Throttled, Unavailable, WireError
from tests.connections.provider_stand_in import tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


def meanwhile(change, answer):
    """An answer of the provider before which something else happens, on a database connection of its own."""

    def answering(_request):
        try:
            change()
        finally:
            database.close()
        yield answer

    return answering


class TestAnAccessToken:
    def test_is_handed_out_while_it_lives(self, connection, issued_at, stand_in):
        token = refreshing.usable_token(connection, at=issued_at + timedelta(seconds=269))
        assert token.reveal() == "access-canary-77c0"
        assert stand_in.server.requests == []

    @pytest.mark.conformance("C8", "C40")
    def test_is_refreshed_near_its_end_with_exactly_four_parameters_in_the_query(self, connection, issued_at, stand_in):
        stand_in.token = http(body={"access_token": "fresh"})
        assert refreshing.usable_token(connection, at=issued_at + timedelta(seconds=271)).reveal() == "fresh"
        (request,) = stand_in.token_requests
        assert request.method == "POST"
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        assert request.body == b""
        assert sorted(request.query) == [
            ("client_id", "holdfast-client"),
            ("client_secret", "secret-canary-bb42"),
            ("grant_type", "refresh_token"),
            ("refresh_token", "refresh-canary-e391"),
        ]

    @pytest.mark.conformance("C40")
    def test_is_not_used_in_its_last_seconds_either_where_nobody_may_refresh(self, connection, issued_at, stand_in):
        StoredTokenSet.objects.update(not_before_at=issued_at + timedelta(seconds=290))
        with pytest.raises(refreshing.NotYet):
            refreshing.usable_token(connection, at=issued_at + timedelta(seconds=271))
        assert stand_in.server.requests == []

    def test_that_a_server_refused_is_never_handed_out_again(self, connection, issued_at, stand_in):
        refused = refreshing.usable_token(connection, at=issued_at)
        stand_in.token = http(body={"access_token": "fresh"})
        at = issued_at + timedelta(seconds=1)
        assert refreshing.usable_token(connection, at=at, refused=refused).reveal() == "fresh"
        assert refreshing.usable_token(connection, at=at, refused=refused).reveal() == "fresh"
        assert len(stand_in.token_requests) == 1

    def test_without_a_refresh_token_needs_the_patient_when_it_ends(self, traveller, place, stand_in):
        stand_in.token = http(body={"access_token": "short", "expires_in": 60})
        found = traveller.link(place)
        connection = confirming.confirm(found, candidate=0, at=found.created_at).connection
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=found.created_at + timedelta(hours=1))
        assert Connection.objects.get().reason == "not_renewable"


class TestARefreshToken:
    @pytest.mark.usefixtures("stopwatch")
    @pytest.mark.conformance("C17")
    def test_that_comes_back_is_adopted_with_a_window_of_its_own(self, connection, issued_at, stand_in):
        stand_in.token = tokens(access_token="a2", refresh_token="r2")
        at = issued_at + timedelta(hours=24)
        refreshing.usable_token(connection, at=at)
        row = StoredTokenSet.objects.get()
        assert row.refresh_issued_at == at
        assert row.refresh_deadline_at == at + timedelta(hours=48)
        refreshing.usable_token(connection, at=at + timedelta(hours=1))
        assert dict(stand_in.token_requests[1].query)["refresh_token"] == "r2"

    @pytest.mark.conformance("C17")
    @pytest.mark.parametrize("answer", [{}, {"refresh_token": "refresh-canary-e391"}, {"refresh_token": ""}])
    def test_that_does_not_come_back_is_kept_with_its_first_window(self, connection, issued_at, stand_in, answer):
        stand_in.token = http(body={"access_token": "a2", **answer})
        at = issued_at + timedelta(hours=24)
        refreshing.usable_token(connection, at=at)
        row = StoredTokenSet.objects.get()
        assert row.refresh_issued_at == issued_at
        assert row.refresh_deadline_at == issued_at + timedelta(hours=48)
        assert row.refresh_due_at is None
        refreshing.usable_token(connection, at=at + timedelta(hours=1))
        assert dict(stand_in.token_requests[1].query)["refresh_token"] == "refresh-canary-e391"

    @pytest.mark.conformance("C14")
    def test_is_tried_until_its_window_ends_and_never_after(self, connection, issued_at, stand_in):
        stand_in.token = http(body={"access_token": "a2", "expires_in": 60})
        refreshing.usable_token(connection, at=issued_at + timedelta(hours=47, minutes=59))
        assert len(stand_in.token_requests) == 1
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=issued_at + timedelta(hours=48, seconds=1))
        assert len(stand_in.token_requests) == 1
        assert Connection.objects.get().reason == "window_over"

    def test_has_no_window_where_the_dialect_knows_none(self, traveller, place, stand_in):
        Endpoint.objects.update(dialect="smart")
        ClientRegistration.objects.update(token_parameters="query")
        traveller.link(place)
        row = StoredTokenSet.objects.get()
        assert row.refresh_used_at is not None
        assert row.refresh_deadline_at == row.refresh_used_at + timedelta(days=92)


@pytest.mark.django_db(transaction=True)
class TestARefusal:
    @pytest.mark.conformance("C15")
    def test_keeps_what_there_is_and_asks_for_a_new_sign_in_once(self, connection, issued_at, stand_in):
        stand_in.token = http(400, {"error": "invalid_grant"})
        for _ in range(3):
            with pytest.raises(refreshing.NeedsReauthorization):
                refreshing.usable_token(connection, at=issued_at + timedelta(hours=1))
        assert len(stand_in.token_requests) == 1
        row = Connection.objects.get()
        assert (row.status, row.reason) == ("needs_reauthorization", "grant_ended")
        assert AuditEvent.objects.filter(event="tokens.refused").get().facts["code"] == "invalid_grant"

    def test_is_not_believed_while_another_attempt_may_still_answer(self, connection, issued_at, stand_in):
        def another_worker_takes_over():  # as after a lease that ran out
            StoredTokenSet.objects.update(attempt_id="1b4e28ba-2fa1-11d2-883f-0016d3cca427")

        stand_in.token = meanwhile(another_worker_takes_over, http(400, {"error": "invalid_grant"}))
        with pytest.raises(refreshing.NotYet):
            refreshing.usable_token(connection, at=issued_at + timedelta(hours=1))
        assert Connection.objects.get().status == "active"

    def test_loses_against_a_success_that_came_first(self, connection, issued_at, stand_in):
        def another_worker_succeeds():
            StoredTokenSet.objects.update(generation=2)

        stand_in.token = meanwhile(another_worker_succeeds, http(400, {"error": "invalid_grant"}))
        token = refreshing.usable_token(connection, at=issued_at + timedelta(hours=1))
        assert token.reveal() == "access-canary-77c0"
        assert Connection.objects.get().status == "active"


class TestAnAnswerThatIsNotThePatientsMatter:
    @pytest.mark.parametrize(
        ("answer", "error"),
        [
            (http(503), Unavailable),
            (http(429, Retry_After="120"), Throttled),
            (http(400, {"error": "invalid_request"}), RequestRefused),
        ],
    )
    @pytest.mark.conformance("C15")
    def test_keeps_the_tokens_and_waits(self, connection, issued_at, stand_in, answer, error):
        stand_in.token = answer
        at = issued_at + timedelta(hours=1)
        with pytest.raises(error):
            refreshing.usable_token(connection, at=at)
        with pytest.raises(refreshing.NotYet) as wait:
            refreshing.usable_token(connection, at=at + timedelta(seconds=1))
        assert wait.value.until >= at + timedelta(minutes=1)
        assert len(stand_in.token_requests) == 1
        assert Connection.objects.get().status == "active"
        stand_in.token = tokens(access_token="after")
        assert refreshing.usable_token(connection, at=wait.value.until).reveal() == "after"

    @pytest.mark.parametrize("answer", [http(200, "<html>"), http(502)], ids=["unreadable", "gateway"])
    def test_that_may_hide_new_tokens_is_asked_for_again_soon(self, connection, issued_at, stand_in, answer):
        stand_in.token = answer
        at = issued_at + timedelta(hours=1)
        with pytest.raises(WireError):
            refreshing.usable_token(connection, at=at)
        with pytest.raises(refreshing.NotYet) as wait:
            refreshing.usable_token(connection, at=at + timedelta(milliseconds=1))
        assert wait.value.until <= at + timedelta(seconds=5)
        stand_in.token = tokens(access_token="after")
        assert refreshing.usable_token(connection, at=wait.value.until).reveal() == "after"

    @pytest.mark.usefixtures("stopwatch")
    def test_that_hides_nothing_new_is_waited_after(self, connection, issued_at, stand_in):
        """A server that does not replace refresh tokens has used none up."""
        ClientRegistration.objects.update(rotates_refresh_tokens=False)
        stand_in.token = http(502)
        at = issued_at + timedelta(hours=1)
        with pytest.raises(Unavailable):
            refreshing.usable_token(connection, at=at)
        assert StoredTokenSet.objects.get().not_before_at == at + timedelta(minutes=1)

    @pytest.mark.usefixtures("stopwatch")
    def test_waits_as_long_as_it_was_told_and_an_hour_at_most(self, connection, issued_at, stand_in):
        at = issued_at + timedelta(hours=1)
        stand_in.token = http(429, Retry_After="999999")
        with pytest.raises(Throttled):
            refreshing.usable_token(connection, at=at)
        assert StoredTokenSet.objects.get().not_before_at == at + timedelta(hours=1)

    def test_of_one_organization_leaves_the_registration_to_the_others(self, connection, issued_at, stand_in):
        stand_in.token = http(400, {"error": "unauthorized_client"})
        with pytest.raises(ClientRejected):
            refreshing.usable_token(connection, at=issued_at + timedelta(hours=1))
        assert ClientRegistration.objects.get().trouble == ""

    def test_marks_the_registration_where_staff_must_act_and_unmarks_it_when_it_works(
        self, connection, issued_at, stand_in
    ):
        stand_in.token = http(401, {"error": "invalid_client"})
        at = issued_at + timedelta(hours=1)
        with pytest.raises(ClientRejected):
            refreshing.usable_token(connection, at=at)
        assert ClientRegistration.objects.get().trouble == "invalid_client"
        assert Connection.objects.get().status == "active"
        stand_in.token = tokens(access_token="after")
        connection.registration.refresh_from_db()
        refreshing.usable_token(connection, at=at + timedelta(hours=1))
        assert ClientRegistration.objects.get().trouble == ""


@pytest.mark.django_db(transaction=True)
class TestAClaim:
    def test_is_not_made_where_an_attempt_that_just_ended_asks_to_wait(
        self, connection, issued_at, stand_in, monkeypatch
    ):
        read_before = token_lookup.look_up(connection)
        at = issued_at + timedelta(hours=1)
        StoredTokenSet.objects.update(not_before_at=at + timedelta(minutes=1))
        monkeypatch.setattr(token_lookup, "look_up", lambda _connection: read_before)
        with pytest.raises(refreshing.NotYet):
            refreshing.usable_token(connection, at=at)
        assert stand_in.token_requests == []

    def test_that_ran_out_is_taken_over(self, connection, issued_at, stand_in):
        StoredTokenSet.objects.update(
            attempt_id="1b4e28ba-2fa1-11d2-883f-0016d3cca427", lease_until="2001-01-01T00:00:00Z"
        )
        stand_in.token = tokens(access_token="fresh")
        assert refreshing.usable_token(connection, at=issued_at + timedelta(hours=1)).reveal() == "fresh"
        assert StoredTokenSet.objects.get().attempt_id is None

    @pytest.mark.conformance("C41")
    def test_is_not_made_within_the_least_interval(self, traveller, place, stand_in):
        ClientRegistration.objects.update(minimum_refresh_seconds=60)
        stand_in.token = tokens(expires_in=40)
        found = traveller.link(place)
        connection = confirming.confirm(found, candidate=0, at=found.created_at).connection
        issued_at = found.created_at
        with pytest.raises(refreshing.NotYet) as wait:
            refreshing.usable_token(connection, at=issued_at + timedelta(seconds=50))
        assert wait.value.until == issued_at + timedelta(seconds=61)
        assert len(stand_in.token_requests) == 1  # the exchange


@pytest.mark.django_db(transaction=True)
class TestASuccessThatComesLate:
    def test_makes_a_connection_hold_again_that_was_given_up(self, connection, issued_at, stand_in):
        def somebody_gives_up():
            Connection.objects.update(status="needs_reauthorization", reason="grant_ended", reason_at=issued_at)

        stand_in.token = meanwhile(somebody_gives_up, tokens(access_token="late", refresh_token="r2"))
        refreshing.usable_token(connection, at=issued_at + timedelta(hours=1))
        row = Connection.objects.get()
        assert (row.status, row.reason) == ("active", "")

    def test_after_the_patient_disconnected_is_given_back(self, connection, issued_at, stand_in):
        def the_patient_disconnects():
            StoredTokenSet.objects.all().delete()

        stand_in.token = meanwhile(the_patient_disconnects, tokens(access_token="late", refresh_token="r2"))
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=issued_at + timedelta(hours=1))
        assert dict(stand_in.revocations[0].form)["token"] == "r2"
        assert not StoredTokenSet.objects.exists()


class TestAConnection:
    def test_of_a_dialect_nobody_knows_is_an_operators_matter(self, connection, issued_at, stand_in):
        """As one that a newer release wrote: readers wait, and the link stays as it is."""
        Endpoint.objects.update(dialect="of tomorrow")
        connection = Connection.objects.get()
        for later in (timedelta(0), timedelta(hours=1), timedelta(hours=49)):
            with pytest.raises(refreshing.RegistrationBroken) as caught:
                refreshing.usable_token(connection, at=issued_at + later)
            assert caught.value.until > issued_at + later
        assert stand_in.server.requests == []
        assert Connection.objects.get().status == "active"

    def test_that_is_switched_off_asks_nothing(self, connection, issued_at, stand_in):
        ClientRegistration.objects.update(is_switched_on=False)
        connection.registration.refresh_from_db()
        with pytest.raises(refreshing.SwitchedOff):
            refreshing.usable_token(connection, at=issued_at)
        assert stand_in.server.requests == []

    def test_whose_tokens_do_not_open_forgets_them_all_the_same(self, connection, issued_at):
        StoredTokenSet.objects.update(sealed_refresh_token=b"\x01" + bytes(80))
        assert refreshing.forget(connection) is None
        assert not StoredTokenSet.objects.exists()

    def test_without_tokens_needs_the_patient(self, connection, issued_at):
        forgotten = refreshing.forget(connection)
        assert forgotten is not None
        assert forgotten.token.reveal() == "refresh-canary-e391"
        assert refreshing.forget(connection) is None
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=issued_at)
