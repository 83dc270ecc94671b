"""Links that are due are counted for each registration, and by whom they wait for."""

import uuid
from datetime import timedelta

from apps.connections.link_health import lagging
from apps.connections.link_health.lagging import Lag
from apps.directory.models import Endpoint
from tests.connections.link_rows import HOUR, NOW

MINUTE = timedelta(minutes=1)


class TestALag:
    def test_is_that_of_the_oldest_due(self, registration, make_link):
        make_link(refresh_due_at=NOW - MINUTE)
        make_link(refresh_due_at=NOW - 10 * MINUTE)
        make_link(refresh_due_at=NOW + MINUTE)
        (lag,) = lagging.by_registration(at=NOW).values()
        assert lag == Lag(due=2, oldest_due_at=NOW - 10 * MINUTE)
        assert lag.lag_seconds(at=NOW) == 600

    def test_is_none_where_nothing_is_due(self, make_link):
        make_link(refresh_due_at=NOW + 2 * HOUR)
        make_link(refresh_due_at=None)
        assert lagging.by_registration(at=NOW) == {}
        assert Lag().lag_seconds(at=NOW) == 0

    def test_of_a_quarter_of_an_hour_is_overdue(self, make_link):
        make_link(refresh_due_at=NOW - 15 * MINUTE)
        make_link(refresh_due_at=NOW - 14 * MINUTE)
        (lag,) = lagging.by_registration(at=NOW).values()
        assert (lag.due, lag.overdue) == (2, 1)

    def test_is_none_of_a_link_that_failed_and_is_tried_again_later(self, make_link):
        make_link(refresh_due_at=NOW + HOUR, tries=1)
        make_link(refresh_due_at=NOW + HOUR + MINUTE, tries=1)
        make_link(refresh_due_at=NOW + HOUR)
        (lag,) = lagging.by_registration(at=NOW).values()
        assert lag == Lag(waiting=1)
        assert lag.lag_seconds(at=NOW) == 0

    def test_is_ours_again_after_the_wait(self, make_link):
        make_link(refresh_due_at=NOW - HOUR, tries=1)
        (lag,) = lagging.by_registration(at=NOW).values()
        assert (lag.waiting, lag.overdue, lag.lag_seconds(at=NOW)) == (0, 1, 3600)

    def test_is_none_of_an_endpoint_that_staff_switched_off(self, registration, make_link):
        make_link(refresh_due_at=NOW - HOUR)
        Endpoint.objects.update(is_switched_on=False)
        assert lagging.by_registration(at=NOW) == {}

    def test_counts_for_its_own_registration(self, registration, make_registration, make_link):
        other = make_registration("Another")
        make_link(other, refresh_due_at=NOW - HOUR)
        make_link(refresh_due_at=NOW - MINUTE)
        found = lagging.by_registration(at=NOW)
        assert (found[other.pk].overdue, found[registration.pk].overdue) == (1, 0)


class TestALease:
    def test_is_stuck_when_it_ran_out_and_nobody_took_up_what_it_held(self, make_link):
        taken = {"attempt_id": uuid.uuid4(), "refresh_due_at": NOW - MINUTE}
        make_link(lease_until=NOW - 5 * MINUTE, **taken)
        make_link(lease_until=NOW - 4 * MINUTE, **taken)
        make_link(lease_until=NOW + MINUTE, **taken)
        make_link(refresh_due_at=NOW - MINUTE)
        (lag,) = lagging.by_registration(at=NOW).values()
        assert (lag.due, lag.stuck) == (4, 1)
