"""The budget of calls to one registration's server: whole batches take from it, and it shrinks if the server
throttles."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.connections.callback import confirming
from apps.connections.models import RefreshPace
from apps.connections.refreshing import attempting, budgeting, claiming
from apps.connections.refreshing.budgeting import Wish
from apps.wire.dialects import DIALECTS
from apps.wire.errors import (
    AuthorizationExpired,
    ClientRejected,
    OrganizationNotEnabled,
    Throttled,
    Unavailable,
    UnexpectedAnswer,
    WireError,
)
from tests.connections.link_rows import NOW, make_link, make_registration, provider, registration
from tests.wire.servers import http

__all__ = ["make_link", "make_registration", "provider", "registration"]

SECOND = timedelta(seconds=1)
USUAL = DIALECTS["patient-access"].refreshes_per_second


def take(registration, *, at, calls=1000, usual=USUAL) -> int:
    return budgeting.take({registration.pk: Wish(calls, usual)}, at=at).get(registration.pk, 0)


def taken_in(registration, *, seconds: int, at) -> int:
    """By somebody who always wants more."""
    return sum(take(registration, at=at + SECOND * number / 4) for number in range(4 * seconds))


class TestABudget:
    def test_gives_no_more_than_is_wanted(self, registration):
        assert take(registration, at=NOW, calls=3) == 3

    def test_gives_at_first_what_a_second_has(self, registration):
        assert take(registration, at=NOW) == USUAL
        assert take(registration, at=NOW) == 0

    def test_gives_the_usual_rate_to_all_together(self, registration):
        assert taken_in(registration, seconds=60, at=NOW) == pytest.approx(60 * USUAL, rel=0.03)

    def test_saves_nothing_for_later(self, registration):
        take(registration, at=NOW)
        assert take(registration, at=NOW + timedelta(hours=20)) == USUAL

    def test_is_each_registrations_own(self, registration, make_registration):
        other = make_registration("other")
        take(registration, at=NOW)
        wishes = {registration.pk: Wish(5, USUAL), other.pk: Wish(5, USUAL)}
        assert budgeting.take(wishes, at=NOW) == {other.pk: 5}

    def test_is_taken_by_one_statement_for_a_whole_batch(self, make_registration):
        wishes = {make_registration(f"{number}").pk: Wish(5, USUAL) for number in range(20)}
        budgeting.take(wishes, at=NOW)
        with CaptureQueriesContext(database) as captured:
            assert len(budgeting.take(wishes, at=NOW + SECOND)) == 20
        assert len(captured) == 1

    def test_is_on_the_clock_of_the_database(self, registration):
        wish = {registration.pk: Wish(1000, USUAL)}
        assert budgeting.take(wish) == {registration.pk: USUAL}
        stands_at = RefreshPace.objects.get().next_at
        assert abs(stands_at - timezone.now()) < timedelta(seconds=30)
        assert budgeting.take(wish).get(registration.pk, 0) < USUAL
        RefreshPace.objects.update(next_at=stands_at - timedelta(minutes=1))
        assert budgeting.take(wish) == {registration.pk: USUAL}

    @pytest.mark.django_db(transaction=True)
    def test_is_not_given_twice_to_workers_who_ask_at_once(self, registration):
        def ask(_number: int) -> int:
            try:
                return take(registration, at=NOW)
            finally:
                database.close()

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(ask, range(32))) == USUAL


class TestAServerThatIsTired:
    def fail(self, make_link, error: WireError, *, at=NOW):
        self.linked = getattr(self, "linked", None) or make_link()
        budgeting.failed(self.linked, error, at=at)

    @pytest.mark.parametrize("error", [Throttled, Unavailable])
    def test_is_left_alone_as_long_as_it_asks(self, registration, make_link, error):
        self.fail(make_link, error(status=503, retry_after_seconds=20))
        assert take(registration, at=NOW + 18 * SECOND) == 0
        assert take(registration, at=NOW + 20 * SECOND) > 0

    def test_is_left_alone_for_a_minute_at_most(self, registration, make_link):
        self.fail(make_link, Throttled(status=429, retry_after_seconds=86_400))
        assert take(registration, at=NOW + 58 * SECOND) == 0
        assert take(registration, at=NOW + 60 * SECOND) > 0

    def test_is_asked_half_as_often_and_recovers_within_minutes(self, registration, make_link):
        self.fail(make_link, Throttled(status=429))
        assert taken_in(registration, seconds=20, at=NOW + 2 * SECOND) == pytest.approx(10 * USUAL, rel=0.15)
        later = NOW + timedelta(minutes=10)
        assert taken_in(registration, seconds=60, at=later) == pytest.approx(60 * USUAL, rel=0.05)

    def test_is_asked_less_and_less_while_it_goes_on(self, registration, make_link):
        for number in range(12):
            self.fail(make_link, Throttled(status=429), at=NOW + 11 * number * SECOND)
        assert taken_in(registration, seconds=10, at=NOW + 150 * SECOND) < USUAL * 10 / 4

    def test_is_slowed_once_by_calls_that_were_under_way_together(self, registration, make_link):
        for _number in range(16):
            self.fail(make_link, Throttled(status=429))
        assert RefreshPace.objects.get().slowed_per_second == USUAL / 2

    def test_counts_where_nobody_had_taken_a_budget_before(self, registration, make_link):
        """As by a refresh that somebody waited for."""
        self.fail(make_link, Throttled(status=429, retry_after_seconds=30))
        assert take(registration, at=NOW) == 0


class TestAServerThatIsSilent:
    @pytest.mark.parametrize("error", [Unavailable(), Unavailable(status=500), UnexpectedAnswer()])
    def test_is_asked_once_a_minute_in_the_end_and_as_usual_after_its_first_answer(
        self, registration, make_link, error
    ):
        linked = make_link()
        for _number in range(30):
            budgeting.failed(linked, error, at=NOW)
        assert taken_in(registration, seconds=180, at=NOW) in range(3, 5)
        budgeting.answered([registration.pk])
        later = NOW + timedelta(minutes=4)
        assert taken_in(registration, seconds=60, at=later) == pytest.approx(60 * USUAL, rel=0.03)

    def test_is_forgiven_a_few_failures(self, registration, make_link):
        linked = make_link()
        for _number in range(4):
            budgeting.failed(linked, Unavailable(), at=NOW)
        assert taken_in(registration, seconds=10, at=NOW) == pytest.approx(10 * USUAL, rel=0.15)

    def test_that_was_not_costs_no_row(self, registration):
        take(registration, at=NOW)
        before = RefreshPace.objects.values().get()
        budgeting.answered([registration.pk])
        assert RefreshPace.objects.values().get() == before

    def test_is_silent_no_more_once_it_refuses_somebody(self, traveller, place, stand_in):
        """After a day of silence the first link asked for may be one whose patient ended it: that is an answer."""
        found = traveller.link(place)
        confirming.confirm(found, candidate=0, at=found.created_at)
        at = found.created_at + timedelta(hours=24)
        RefreshPace.objects.create(registration=place.registration, next_at=at, silences=1000)
        stand_in.token = http(400, body={"error": "invalid_grant"})
        (claim,) = claiming.claim([found.pk], at=at)
        assert attempting.attempt(claim, clock=lambda: at).outcome == attempting.Outcome.ENDED
        assert RefreshPace.objects.get().silences == 0

    @pytest.mark.parametrize("error", [AuthorizationExpired(), ClientRejected(), OrganizationNotEnabled()])
    def test_is_not_one_that_refuses_somebody(self, make_link, error):
        for _number in range(10):
            budgeting.failed(make_link(), error, at=NOW)
        assert not RefreshPace.objects.exists()
