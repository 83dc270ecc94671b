"""What a server's limits mean for a link, according to its dialect and to the overrides of its registration."""

from datetime import timedelta

import pytest

from apps.connections.models import Connection
from apps.connections.refreshing import policy
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.dialects import DIALECTS


def link(dialect: str, *, granted_scope: str = "", **registration) -> Connection:
    """As loaded; nothing is stored."""
    return Connection(
        endpoint=Endpoint(dialect=dialect),
        registration=ClientRegistration(**registration),
        granted_scope=granted_scope,
    )


class TestAPolicy:
    def test_of_interface_a_has_a_window_of_48_hours_and_no_idle_limit(self):
        found = policy.of(link("patient-access"))
        assert (found.window, found.idle_limit, found.floor) == (timedelta(hours=48), None, timedelta(0))

    def test_of_interface_b_has_an_idle_limit_of_three_months_and_a_floor_of_a_minute(self):
        """The longest three months there are; and a second, in which a request may be on its way."""
        found = policy.of(link("smart", granted_scope="patient/*.read offline_access"))
        assert (found.window, found.idle_limit, found.floor) == (None, timedelta(days=92), timedelta(seconds=61))

    def test_believes_an_access_token_to_live_for_ten_minutes_on_interface_b_and_a_day_on_interface_a(self):
        assert policy.of(link("smart")).longest_lifetime == timedelta(minutes=10)
        assert policy.of(link("patient-access")).longest_lifetime == timedelta(days=1)

    def test_follows_what_a_registration_knows_better(self):
        found = policy.of(
            link("patient-access", refresh_window_hours=24, idle_limit_days=30, minimum_refresh_seconds=5)
        )
        assert (found.window, found.idle_limit) == (timedelta(hours=24), timedelta(days=30))
        assert found.floor == timedelta(seconds=6)

    @pytest.mark.parametrize("rotates", [None, True, False])
    def test_knows_of_rotation_what_was_seen_of_the_registration(self, rotates):
        assert policy.of(link("patient-access", rotates_refresh_tokens=rotates)).rotates is rotates

    @pytest.mark.parametrize(
        ("granted", "is_bound"),
        [
            ("patient/*.read online_access", True),
            ("patient/*.read offline_access", False),
            ("online_access offline_access", False),
            ("patient/*.read", False),
            ("not_online_access", False),
            ("", False),
        ],
    )
    def test_is_bound_to_a_session_by_online_access_alone(self, granted, is_bound):
        found = policy.of(link("smart", granted_scope=granted))
        assert found.is_session_bound is is_bound
        assert (found.idle_limit is None) is is_bound

    @pytest.mark.parametrize("name", sorted(DIALECTS))
    def test_asks_the_database_nothing(self, name, django_db_blocker):
        with django_db_blocker.block():
            assert policy.of(link(name)).assumed_lifetime > timedelta(0)
