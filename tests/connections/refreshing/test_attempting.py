"""One attempt to refresh: what it finds out, what it writes, and when it gives up for lack of time."""

from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime

import pytest

from apps.connections import refreshing
from apps.connections.models import Connection, PendingRevocation, StoredTokenSet
from apps.connections.refreshing import attempting, claiming, protocol
from apps.connections.refreshing.attempting import Outcome
from apps.connections.refreshing.claiming import Claim
from apps.directory.models import ClientRegistration
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from tests.connections.provider_stand_in import tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def claimed(at) -> Claim:
    (claim,) = claiming.claim([StoredTokenSet.objects.get().pk], at=at)
    return claim


def attempt(at) -> attempting.Result:
    return attempting.attempt(claimed(at), clock=lambda: at)


class TestRotation:
    def test_is_learned_of_the_link_and_of_its_registration(self, issued_at, stand_in):
        stand_in.token = tokens(access_token="a2", refresh_token="r2")
        assert attempt(issued_at + HOUR).outcome is Outcome.REFRESHED
        registration = ClientRegistration.objects.get()
        assert (registration.rotates_refresh_tokens, registration.rotation_seen_at) == (True, issued_at + HOUR)
        assert StoredTokenSet.objects.get().is_rotated is True
        assert Connection.objects.get().lapses_at is None

    def test_that_does_not_happen_gives_the_link_a_known_end(self, issued_at, stand_in):
        stand_in.token = http(body={"access_token": "a2"})
        attempt(issued_at + HOUR)
        assert ClientRegistration.objects.get().rotates_refresh_tokens is False
        assert StoredTokenSet.objects.get().is_rotated is False
        assert Connection.objects.get().lapses_at == issued_at + 48 * HOUR

    def test_now_and_then_counts_as_rotation_for_a_day(self, issued_at, stand_in):
        stand_in.token = tokens(access_token="a2", refresh_token="r2")
        attempt(issued_at + HOUR)
        stand_in.token = http(body={"access_token": "a3"})
        attempt(issued_at + 2 * HOUR)
        assert ClientRegistration.objects.get().rotates_refresh_tokens is True
        attempt(issued_at + 26 * HOUR)
        assert ClientRegistration.objects.get().rotates_refresh_tokens is False


class TestASilence:
    def test_is_known_since_its_first_moment_until_somebody_answers(self, issued_at, stand_in):
        stand_in.token = http(503)
        for hours in (1, 3):
            attempt(issued_at + hours * HOUR)
            assert StoredTokenSet.objects.get().silent_since == issued_at + HOUR
        stand_in.token = tokens(access_token="a2")
        attempt(issued_at + 5 * HOUR)
        stand_in.token = http(503)
        attempt(issued_at + 7 * HOUR)
        assert StoredTokenSet.objects.get().silent_since == issued_at + 7 * HOUR

    @pytest.mark.parametrize("answer", [http(429), http(400, {"error": "invalid_request"}), http(200, "nothing")])
    def test_is_none_where_something_answers(self, issued_at, stand_in, answer):
        stand_in.token = http(503)
        attempt(issued_at + HOUR)
        stand_in.token = answer
        attempt(issued_at + 3 * HOUR)
        assert StoredTokenSet.objects.get().silent_since is None


class TestAnAttempt:
    def test_writes_when_the_token_was_used_and_forgets_earlier_failures(self, issued_at, stand_in):
        StoredTokenSet.objects.update(tries=7)
        stand_in.token = http(body={"access_token": "a2"})
        attempt(issued_at + HOUR)
        row = StoredTokenSet.objects.get()
        assert (row.refresh_issued_at, row.refresh_used_at, row.tries) == (issued_at, issued_at + HOUR, 0)

    def test_that_comes_too_late_to_call_asks_nobody_and_gives_the_claim_back(self, issued_at, stand_in):
        claim = claimed(issued_at + HOUR)
        late = replace(claim, taken_at=claim.taken_at - protocol.CALL_WITHIN.total_seconds())
        assert attempting.attempt(late, clock=lambda: issued_at + HOUR).outcome is Outcome.RELEASED
        assert stand_in.token_requests == []
        claimed(issued_at + HOUR)  # by the next, at once

    @pytest.mark.conformance("C14")
    def test_whose_deadline_passed_asks_nobody_and_ends_the_link(self, issued_at, stand_in):
        assert attempt(issued_at + timedelta(hours=48, seconds=1)).outcome is Outcome.ENDED
        assert stand_in.token_requests == []
        row = Connection.objects.get()
        assert (row.status, row.reason) == ("needs_reauthorization", "window_over")

    @pytest.mark.parametrize("is_bound", [True, False])
    def test_that_is_refused_ends_the_session_or_the_grant(self, issued_at, stand_in, is_bound):
        StoredTokenSet.objects.update(is_session_bound=is_bound)
        stand_in.token = http(400, {"error": "invalid_grant"})
        assert attempt(issued_at + HOUR).outcome is Outcome.ENDED
        assert Connection.objects.get().reason == ("session_over" if is_bound else "grant_ended")

    def test_that_ends_the_link_for_good_leaves_nothing_to_be_asked_for(self, issued_at, stand_in):
        StoredTokenSet.objects.update(refresh_due_at=issued_at, is_session_bound=True)
        stand_in.token = http(400, {"error": "invalid_grant"})
        attempt(issued_at + HOUR)
        row = StoredTokenSet.objects.get()
        assert (row.refresh_due_at, row.attempt_id, row.lease_until) == (None, None, None)

    @pytest.mark.conformance("C48")
    def test_that_finds_nothing_left_to_read_asks_the_patient(self, issued_at, stand_in):
        """As where they took back there whatever they had shared: only a new sign-in gives anything again."""
        stand_in.token = http(400, {"error": "invalid_scope"})
        assert attempt(issued_at + HOUR).outcome is Outcome.ENDED
        row = Connection.objects.get()
        assert (row.status, row.reason) == ("needs_reauthorization", "grant_ended")

    @pytest.mark.parametrize("error", ["invalid_request", "unauthorized_client", "invalid_target", "of_their_own"])
    def test_that_is_refused_for_another_reason_keeps_the_link(self, issued_at, stand_in, error):
        stand_in.token = http(400, {"error": error})
        assert attempt(issued_at + HOUR).outcome in {Outcome.OURS, Outcome.OPERATOR}
        assert Connection.objects.get().status == "active"

    @pytest.mark.conformance("C42")
    @pytest.mark.parametrize("form", ["seconds", "date"])
    def test_that_is_throttled_waits_as_it_is_told_in_either_writing(self, issued_at, stand_in, form):
        at = issued_at + HOUR
        written = {"Retry_After": "300"}
        if form == "date":
            said_at = at.replace(microsecond=0)
            moments = {"Date": said_at, "Retry_After": said_at + timedelta(minutes=5)}
            written = {name: format_datetime(moment, usegmt=True) for name, moment in moments.items()}
        stand_in.token = http(429, **written)
        result = attempt(at)
        assert (result.outcome, result.until) == (Outcome.WAITING, at + timedelta(minutes=5))
        assert StoredTokenSet.objects.get().tries == 1
        assert claiming.claim([StoredTokenSet.objects.get().pk], at=at + timedelta(seconds=299)) == []

    def test_near_the_deadline_waits_less_than_it_is_told(self, issued_at, stand_in):
        at = issued_at + timedelta(hours=47, minutes=50)
        stand_in.token = http(429, Retry_After="3600")
        assert at < attempt(at).until < issued_at + timedelta(hours=48)


class TestARefusalAfterAnAnswerThatGotLost:
    """Another worker's attempt never answered, and may have been given the new tokens."""

    @pytest.fixture
    def at(self, issued_at):
        at = issued_at + HOUR
        claimed(at)
        StoredTokenSet.objects.update(lease_until="2001-01-01T00:00:00Z")
        return at

    def test_is_only_suspected_while_it_may_still_answer(self, at, stand_in):
        stand_in.token = http(400, {"error": "invalid_grant"})
        result = attempt(at)
        assert (result.outcome, Connection.objects.get().status) == (Outcome.WAITING, "active")
        assert at < result.until <= at + protocol.MAY_STILL_ANSWER

    def test_is_believed_afterwards(self, at, stand_in):
        stand_in.token = http(400, {"error": "invalid_grant"})
        until = attempt(at).until
        StoredTokenSet.objects.update(attempt_started_at="2001-01-01T00:00:00Z")
        assert attempt(until).outcome is Outcome.ENDED

    def test_is_sent_at_once_within_the_floor_where_tokens_are_used_up(self, at, stand_in):
        StoredTokenSet.objects.update(not_before_at=at + timedelta(minutes=1))
        stand_in.token = tokens(access_token="again")
        assert attempt(at).outcome is Outcome.REFRESHED

    def test_waits_for_the_floor_where_none_is_used_up(self, at):
        StoredTokenSet.objects.update(not_before_at=at + timedelta(minutes=1), is_rotated=False)
        pk = StoredTokenSet.objects.get().pk
        assert claiming.claim([pk], at=at) == []
        assert claiming.claim([pk], at=at + timedelta(minutes=1))


class TestALateSuccess:
    def test_is_dropped_and_not_given_back_where_a_new_sign_in_came_first(self, place, issued_at, stand_in):
        """Its end could be taken for that of all this patient allowed, the new sign-in's tokens too."""
        assert place.registration.authorization_server.revocation_url
        late = claimed(issued_at + HOUR)
        signed_in = TokenSet(Secret("access"), 300, Secret("refresh"))
        refreshing.keep(Connection.objects.get(), signed_in, issued_at=issued_at + HOUR)
        stand_in.token = tokens(access_token="late", refresh_token="late-r")
        result = attempting.attempt(late, clock=lambda: issued_at + HOUR)
        assert (result.outcome, result.access_token) == (Outcome.REFRESHED, Secret("access"))
        assert stand_in.revocations == []
        assert not PendingRevocation.objects.exists()

    def test_keeps_the_floor_of_the_attempt_that_was_claimed_after_it(self, issued_at, stand_in):
        ClientRegistration.objects.update(minimum_refresh_seconds=60)
        first = claimed(issued_at + HOUR)
        StoredTokenSet.objects.update(lease_until="2001-01-01T00:00:00Z")
        later = issued_at + HOUR + timedelta(seconds=40)
        claimed(later)
        stand_in.token = tokens(access_token="late", refresh_token="r2")
        assert attempting.attempt(first, clock=lambda: issued_at + HOUR).outcome is Outcome.REFRESHED
        row = StoredTokenSet.objects.get()
        assert (row.generation, row.not_before_at) == (2, later + timedelta(seconds=61))
