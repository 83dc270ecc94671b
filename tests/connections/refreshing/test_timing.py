"""When tokens end and refreshes are due: each rule of `timing` as a property of every possible link."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.connections.refreshing import policy, timing
from apps.connections.refreshing.policy import Policy
from apps.connections.refreshing.timing import Times
from apps.wire.dialects import DIALECTS

AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)

ids = st.uuids(version=4)
windows = st.integers(1, 8784).map(lambda hours: timedelta(hours=hours))
idle_limits = st.integers(1, 3660).map(lambda days: timedelta(days=days))
policies = st.builds(
    Policy,
    window=st.none() | windows,
    idle_limit=st.none() | idle_limits,
    floor=st.integers(0, 3599).map(lambda seconds: timedelta(seconds=seconds)),
    assumed_lifetime=st.just(timedelta(minutes=5)),
    longest_lifetime=st.sampled_from([timedelta(minutes=10), timedelta(days=1)]),
    is_session_bound=st.booleans(),
    rotates=st.sampled_from([None, True, False]),
)


def issued(its_policy: Policy, connection_id: UUID, **changed) -> Times:
    """After a sign-in at this moment that brought both tokens."""
    arguments = {"at": AT, "expires_in_seconds": 300, "refresh_issued_at": AT, **changed}
    return timing.times(its_policy, connection_id=connection_id, **arguments)


def due_at(found: Times) -> datetime:
    """Where something is due."""
    assert found.refresh_due_at is not None
    return found.refresh_due_at


def of(dialect: str, *, scope: str = "offline_access", rotates: bool | None = None) -> Policy:
    return policy.told(DIALECTS[dialect], granted_scope=scope, rotates=rotates)


def random_ids(number: int) -> list[UUID]:
    source = Random(5)
    return [UUID(int=source.getrandbits(128), version=4) for _ in range(number)]


class TestEveryLink:
    @given(policies, ids)
    def test_falls_due_before_its_deadline_and_not_within_the_floor(self, its_policy, connection_id):
        found = issued(its_policy, connection_id)
        if found.refresh_due_at is not None:
            assert found.refresh_deadline_at is not None
            assert AT + its_policy.floor <= found.refresh_due_at < found.refresh_deadline_at

    @given(policies, ids)
    def test_ends_with_its_window_or_idle_limit_whichever_is_first(self, its_policy, connection_id):
        limits = [limit for limit in (its_policy.window, its_policy.idle_limit) if limit is not None]
        expected = AT + min(limits) if limits else None
        assert issued(its_policy, connection_id).refresh_deadline_at == expected

    @given(policies, ids)
    def test_is_told_the_same_each_time(self, its_policy, connection_id):
        assert issued(its_policy, connection_id) == issued(its_policy, connection_id)

    @given(policies, ids)
    def test_has_a_known_end_only_where_a_refresh_prolongs_nothing(self, its_policy, connection_id):
        found = issued(its_policy, connection_id)
        is_known = its_policy.rotates is False and its_policy.window is not None
        assert (found.lapses_at is not None) is is_known

    @given(policies, ids)
    def test_that_is_bound_to_a_session_is_left_alone(self, its_policy, connection_id):
        if its_policy.is_session_bound:
            assert issued(its_policy, connection_id).refresh_due_at is None

    @given(policies, ids)
    def test_without_a_refresh_token_ends_with_its_access_token(self, its_policy, connection_id):
        found = issued(its_policy, connection_id, refresh_issued_at=None)
        assert found.lapses_at == found.access_expires_at == AT + timedelta(minutes=5)
        assert found.refresh_due_at is found.refresh_deadline_at is found.refresh_used_at is None

    @given(policies, ids)
    def test_lives_as_long_as_it_is_assumed_to_where_nobody_says(self, its_policy, connection_id):
        found = issued(its_policy, connection_id, expires_in_seconds=None)
        assert found.access_expires_at == AT + its_policy.assumed_lifetime

    @given(policies, ids, st.integers(1, 366 * 86_400))
    def test_is_believed_of_its_access_token_no_more_than_its_kind_of_server_can_mean(
        self, its_policy, connection_id, seconds
    ):
        found = issued(its_policy, connection_id, expires_in_seconds=seconds)
        assert found.access_expires_at == AT + min(timedelta(seconds=seconds), its_policy.longest_lifetime)

    @given(policies, ids, st.integers(1, 366 * 86_400))
    def test_that_cannot_be_renewed_is_believed_for_a_day(self, its_policy, connection_id, seconds):
        """Nothing is gained by an earlier end: it would only cost its patient a sign-in."""
        found = issued(its_policy, connection_id, refresh_issued_at=None, expires_in_seconds=seconds)
        assert found.lapses_at == found.access_expires_at == AT + min(timedelta(seconds=seconds), timedelta(days=1))

    @given(policies, ids)
    def test_keeps_its_end_apart_from_the_columns_of_its_tokens(self, its_policy, connection_id):
        columns = issued(its_policy, connection_id).columns
        assert "lapses_at" not in columns
        assert columns["refresh_issued_at"] == AT

    @given(policies, ids)
    def test_ends_what_was_planned_of_the_tokens_before(self, its_policy, connection_id):
        assert issued(its_policy, connection_id).columns["parked_endpoint_id"] is None


class TestAServerThatRotates:
    @given(ids)
    def test_is_asked_at_about_half_of_48_hours(self, connection_id):
        after = due_at(issued(of("patient-access", rotates=True), connection_id)) - AT
        assert 18 * HOUR <= after <= 24 * HOUR

    @given(st.integers(25, 8784), ids)
    def test_leaves_room_for_an_outage_of_20_hours_where_the_window_allows(self, hours, connection_id):
        window = timedelta(hours=hours)
        its_policy = Policy(
            window=window,
            idle_limit=None,
            floor=timedelta(0),
            assumed_lifetime=timedelta(minutes=5),
            longest_lifetime=timedelta(days=1),
            is_session_bound=False,
            rotates=True,
        )
        found = issued(its_policy, connection_id)
        assert AT + window - due_at(found) >= 20 * HOUR

    def test_is_not_asked_in_one_hour_about_a_million_links_made_in_one_hour(self):
        """By tens of thousands: no hour has more than a fifth of them, and the next round is wider still."""
        its_policy = of("patient-access", rotates=True)
        source = Random(7)
        dues = []
        for connection_id in random_ids(20_000):
            at = AT + HOUR * source.random()
            first = due_at(issued(its_policy, connection_id, at=at, refresh_issued_at=at))
            second = due_at(issued(its_policy, connection_id, at=first, refresh_issued_at=first))
            dues.append((first, second))
        for number, most in ((0, 0.2), (1, 0.1)):
            by_hour = Counter((due[number] - AT) // HOUR for due in dues)
            assert max(by_hour.values()) < most * len(dues)


class TestAServerThatDoesNotRotate:
    @given(ids)
    def test_is_not_asked_by_beat_and_has_a_known_end_from_the_first_minute(self, connection_id):
        found = issued(of("patient-access", rotates=False), connection_id)
        assert found.refresh_due_at is None
        assert found.lapses_at == found.refresh_deadline_at == AT + 48 * HOUR

    @given(ids, st.integers(0, 47))
    def test_gains_nothing_by_a_refresh(self, connection_id, hours):
        found = issued(of("patient-access", rotates=False), connection_id, at=AT + hours * HOUR)
        assert found.lapses_at == found.refresh_deadline_at == AT + 48 * HOUR
        assert found.refresh_used_at == AT + hours * HOUR

    @given(ids)
    def test_is_kept_from_idling_where_its_window_is_longer(self, connection_id):
        its_policy = Policy(
            window=timedelta(days=365),
            idle_limit=timedelta(days=90),
            floor=timedelta(0),
            assumed_lifetime=timedelta(minutes=5),
            longest_lifetime=timedelta(days=1),
            is_session_bound=False,
            rotates=False,
        )
        found = issued(its_policy, connection_id)
        assert due_at(found) <= AT + timedelta(days=30)
        late = issued(its_policy, connection_id, at=AT + timedelta(days=300))
        assert late.refresh_due_at is None  # the window ends before the idle limit does


class TestAServerOfWhichNothingWasSeen:
    @given(ids)
    def test_is_asked_within_hours(self, connection_id):
        found = issued(of("patient-access"), connection_id)
        assert 2 * HOUR <= due_at(found) - AT <= 4 * HOUR
        assert found.lapses_at is None


class TestOfflineAccess:
    @given(ids, st.sampled_from([None, True, False]))
    def test_is_kept_alive_well_inside_three_idle_months(self, connection_id, rotates):
        found = issued(of("smart", rotates=rotates), connection_id)
        assert timedelta(days=22) < due_at(found) - AT <= timedelta(days=30)
        assert found.refresh_deadline_at == AT + timedelta(days=92)
        assert found.lapses_at is None

    @given(ids, st.integers(1, 60))
    def test_counts_from_its_last_use(self, connection_id, days):
        used_at = AT + timedelta(days=days)
        found = issued(of("smart", rotates=False), connection_id, at=used_at)
        assert found.refresh_deadline_at == used_at + timedelta(days=92)
        assert found.refresh_issued_at == AT


class TestOnlineAccess:
    @pytest.mark.parametrize("rotates", [None, True, False])
    @given(connection_id=ids)
    def test_is_never_asked_by_beat(self, connection_id, rotates):
        found = issued(of("smart", scope="online_access", rotates=rotates), connection_id)
        assert found.refresh_due_at is found.refresh_deadline_at is found.lapses_at is None
