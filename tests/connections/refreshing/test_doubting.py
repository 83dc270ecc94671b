"""A refusal that may be the server's mistake is retried, by beat alone, until it is certain or half a day has
passed."""

from datetime import timedelta

import pytest

from apps.audit import restorations
from apps.audit.models import AuditEvent, EventType
from apps.connections import refreshing, tallying
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.presenting import standing
from apps.connections.refreshing import doubting
from apps.directory.models import Endpoint
from tests.connections.link_rows import make_link, make_registration, provider, registration
from tests.connections.refreshing.beats import beat, status
from tests.connections.refreshing.postgres_ground import tokens_of
from tests.wire.servers import http

__all__ = ["make_link", "make_registration", "provider", "registration"]  # fixtures

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
REFUSED = http(400, {"error": "invalid_grant"})
TAKEN = http(body={"access_token": "fresh", "refresh_token": "another"})


@pytest.fixture
def refused_at(connection, issued_at, stand_in):
    """The schedule asked for new tokens, and was refused."""
    stand_in.token = REFUSED
    StoredTokenSet.objects.update(refresh_due_at=issued_at + HOUR)
    assert beat(issued_at + HOUR) == 1
    stand_in.server.requests.clear()
    return issued_at + HOUR


class TestALinkThatWasRefused:
    def test_counts_as_ended_and_says_that_we_ask_again(self, refused_at, connection):
        shown = standing.of_connection(Connection.objects.get(), at=refused_at + MINUTE)
        assert (status(), shown.needs_you, shown.action) == ("needs_reauthorization", True, "Sign in again")
        assert "ask them again a few times, in case it was their mistake" in shown.sentence

    def test_is_asked_for_again_after_five_minutes_and_not_before(self, refused_at, stand_in):
        assert beat(refused_at + 4 * MINUTE) == 0
        assert stand_in.token_requests == []
        assert beat(refused_at + 5 * MINUTE) == 1
        (request,) = stand_in.token_requests
        assert dict(request.query)["refresh_token"] == "refresh-canary-e391"
        assert status() == "needs_reauthorization"

    def test_is_back_as_soon_as_its_token_is_taken(self, refused_at, stand_in, connection):
        stand_in.token = TAKEN
        beat(refused_at + 5 * MINUTE)
        row, stored = Connection.objects.get(), StoredTokenSet.objects.get()
        assert (row.status, row.reason, row.reason_at) == ("active", "", None)
        assert stored.refused_at is None
        assert stored.refresh_due_at > refused_at + HOUR
        token = refreshing.usable_token(connection, at=refused_at + 6 * MINUTE)
        assert token.reveal() == "fresh"

    def test_is_believed_where_their_server_took_somebody_elses_token(self, refused_at, connection, stand_in):
        tallying.count(connection.registration_id, tallying.Outcome.SUCCEEDED, at=refused_at + MINUTE)
        beat(refused_at + 5 * MINUTE)
        assert StoredTokenSet.objects.get().refresh_due_at is None
        assert beat(refused_at + 40 * HOUR) == 0
        assert len(stand_in.token_requests) == 1
        shown = standing.of_connection(Connection.objects.get(), at=refused_at + HOUR)
        assert "ask them again" not in shown.sentence

    def test_is_not_believed_for_what_their_server_took_before(self, refused_at, connection):
        tallying.count(connection.registration_id, tallying.Outcome.SUCCEEDED, at=refused_at - MINUTE)
        beat(refused_at + 5 * MINUTE)
        assert StoredTokenSet.objects.get().refresh_due_at == refused_at + 30 * MINUTE

    @pytest.mark.parametrize(
        ("given_hours_before", "again_after"), [(12, None), (-1 / 60, 30 * MINUTE)], ids=["given before", "given since"]
    )
    def test_is_believed_for_tokens_that_are_old_and_not_for_those_of_whoever_signed_in_since(
        self, refused_at, connection, make_link, stand_in, given_hours_before, again_after
    ):
        other = make_link(under=connection.registration, endpoint=connection.endpoint, has_tokens=False)
        refreshing.keep(other, tokens_of(2), issued_at=refused_at - given_hours_before * HOUR)
        StoredTokenSet.objects.filter(pk=other.pk).update(refresh_due_at=refused_at + 3 * MINUTE)
        stand_in.token = TAKEN
        assert beat(refused_at + 3 * MINUTE) == 1
        stand_in.token = REFUSED
        assert beat(refused_at + 5 * MINUTE) == 1
        due_at = StoredTokenSet.objects.get(pk=connection.pk).refresh_due_at
        assert due_at == (again_after and refused_at + again_after)

    def test_is_asked_for_during_half_a_day_and_then_left(self, refused_at):
        asked = [minutes for minutes in range(0, 24 * 60, 5) if beat(refused_at + minutes * MINUTE)]
        assert asked == [5, 30, 120, 360, 720]
        assert status() == "needs_reauthorization"
        assert StoredTokenSet.objects.get().refused_at is None

    def test_is_told_of_once(self, refused_at):
        for hours in range(1, 24):
            beat(refused_at + hours * HOUR)
        for event in (EventType.TOKENS_REFUSED, EventType.CONNECTION_NEEDS_REAUTHORIZATION):
            assert AuditEvent.objects.filter(event=event).count() == 1
        counted = {outcome: number for (_registration, outcome), number in tallying.totals().items()}
        assert counted[tallying.Outcome.REFUSED] == 1

    def test_is_asked_for_by_nobody_who_waits_for_a_page(self, refused_at, connection, stand_in):
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=refused_at + 10 * MINUTE)
        assert stand_in.token_requests == []

    def test_is_not_asked_for_beyond_its_time_limit(self, connection, issued_at, stand_in):
        stand_in.token = REFUSED
        late = issued_at + 48 * HOUR - 4 * MINUTE
        StoredTokenSet.objects.update(refresh_due_at=late)
        beat(late)
        assert (status(), StoredTokenSet.objects.get().refresh_due_at) == ("needs_reauthorization", None)

    def test_is_over_where_its_time_limit_passes_first(self, refused_at, issued_at, stand_in):
        beat(issued_at + 49 * HOUR)
        assert stand_in.token_requests == []
        assert StoredTokenSet.objects.get().refresh_due_at is None
        assert Connection.objects.get().reason == "grant_ended"

    def test_is_asked_for_later_where_their_server_is_away(self, refused_at, stand_in):
        stand_in.token = http(503, {})
        beat(refused_at + 5 * MINUTE)
        stand_in.token = TAKEN
        assert beat(refused_at + 6 * MINUTE) == 1
        assert status() == "active"

    def test_waits_for_its_endpoint_to_be_switched_on(self, refused_at, stand_in):
        Endpoint.objects.update(is_switched_on=False)
        assert beat(refused_at + 5 * MINUTE) == 0
        assert beat(refused_at + HOUR) == 0
        assert stand_in.token_requests == []
        Endpoint.objects.update(is_switched_on=True)
        stand_in.token = TAKEN
        assert beat(refused_at + 2 * HOUR) == 1
        assert status() == "active"

    def test_is_asked_for_no_more_after_a_new_sign_in(self, refused_at, connection):
        refreshing.keep(connection, tokens_of(2), issued_at=refused_at + MINUTE)
        assert StoredTokenSet.objects.get().refused_at is None
        assert beat(refused_at + 5 * MINUTE) == 0

    def test_is_not_asked_for_again_where_a_backup_was_restored(self, connection, issued_at, stand_in):
        restorations.note(at=issued_at + MINUTE)
        stand_in.token = REFUSED
        StoredTokenSet.objects.update(refresh_due_at=issued_at + HOUR)
        beat(issued_at + HOUR)
        assert (Connection.objects.get().reason, beat(issued_at + 2 * HOUR)) == ("earlier_copy", 0)

    def test_is_not_asked_for_again_where_its_session_was_to_end(self, connection, issued_at, stand_in):
        stand_in.token = REFUSED
        StoredTokenSet.objects.update(refresh_due_at=issued_at + HOUR, is_session_bound=True)
        beat(issued_at + HOUR)
        assert (Connection.objects.get().reason, beat(issued_at + 2 * HOUR)) == ("session_over", 0)


class TestALinkThatTheVersionBeforeHadInHand:
    """It runs on beside this one during a deployment, and knows of no doubt."""

    def test_is_not_said_to_be_asked_for_again_where_that_took_it_for_due_no_more(self, refused_at, connection):
        StoredTokenSet.objects.update(refresh_due_at=None)
        shown = standing.of_connection(Connection.objects.get(), at=refused_at + MINUTE)
        assert "stopped asking" in shown.sentence
        assert not doubting.doubted().exists()

    def test_is_refused_as_for_the_first_time_after_a_new_sign_in_there(self, refused_at):
        Connection.objects.update(status="active", reason="", reason_at=None)
        later = refused_at + 20 * HOUR
        StoredTokenSet.objects.update(refresh_due_at=later)
        assert beat(later) == 1
        stored = StoredTokenSet.objects.get()
        assert (stored.refused_at, stored.refresh_due_at) == (later, later + 5 * MINUTE)


class TestOthersWhoWereRefused:
    @pytest.fixture
    def other(self, refused_at, connection, make_link):
        """Refused as well, and asked for again in the evening."""
        return make_link(
            under=connection.registration,
            endpoint=connection.endpoint,
            status="needs_reauthorization",
            reason="grant_ended",
            reason_at=refused_at,
            refused_at=refused_at,
            refresh_due_at=refused_at + 6 * HOUR,
        )

    def test_are_due_as_soon_as_one_of_them_is_taken(self, refused_at, other, stand_in):
        stand_in.token = TAKEN
        beat(refused_at + 5 * MINUTE)
        assert doubting.hasten(at=refused_at + 6 * MINUTE) == 1
        assert StoredTokenSet.objects.get(pk=other.pk).refresh_due_at == refused_at + 6 * MINUTE
        assert doubting.hasten(at=refused_at + 6 * MINUTE) == 0

    def test_are_due_as_soon_as_anybody_elses_old_token_is_taken(self, refused_at, connection, other, stand_in):
        refreshing.keep(connection, tokens_of(2), issued_at=refused_at - 13 * HOUR)
        Connection.objects.filter(pk=connection.pk).update(status="active", reason="", reason_at=None)
        StoredTokenSet.objects.filter(pk=connection.pk).update(refresh_due_at=refused_at + HOUR)
        stand_in.token = TAKEN
        assert beat(refused_at + HOUR) == 1
        assert doubting.hasten(at=refused_at + HOUR) == 1

    @pytest.mark.parametrize(
        "columns", [{"refused_at": 4 * MINUTE}, {"not_before_at": 6 * HOUR}, {"lease_until": 10_000 * 24 * HOUR}]
    )
    def test_are_not_due_where_nobody_may_ask_yet_or_somebody_does(self, refused_at, other, columns):
        tallying.count(other.registration_id, tallying.Outcome.SUCCEEDED, at=refused_at + 5 * MINUTE)
        moments = {name: refused_at + after for name, after in columns.items()}
        StoredTokenSet.objects.filter(pk=other.pk).update(**moments)
        assert doubting.hasten(at=refused_at + 6 * MINUTE) == 0

    def test_are_many_from_three_on(self, make_link, make_registration, refused_at):
        elsewhere = make_registration()
        doubted = {"status": "needs_reauthorization", "reason_at": refused_at, "refused_at": refused_at}
        doubted |= {"refresh_due_at": refused_at + HOUR}
        (first, second) = (make_link(under=elsewhere, **doubted) for _ in range(2))
        make_link(under=elsewhere)
        assert not doubting.of_many()
        third = make_link(under=elsewhere, **doubted)
        assert {stored.pk for stored in doubting.of_many()} == {first.pk, second.pk, third.pk}
