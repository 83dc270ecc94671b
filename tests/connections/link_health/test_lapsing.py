"""Permissions that end within 12 and 24 hours are counted for each registration; those we can refresh, separately."""

from apps.connections.link_health import lapsing
from apps.connections.link_health.lapsing import Lapsing
from tests.connections.link_rows import HOUR, NOW


def test_nothing_lapses_where_there_is_nothing(db):
    assert lapsing.by_registration(at=NOW) == {}


class TestAKnownEnd:
    def test_is_counted_in_the_hours_before_it(self, registration, make_link):
        for hours in (11, 13, 23, 25):
            make_link(lapses_at=NOW + hours * HOUR)
        assert lapsing.by_registration(at=NOW) == {registration.pk: Lapsing(ending_in_12_hours=1, ending_in_24_hours=3)}

    def test_is_counted_no_more_when_it_has_passed(self, make_link):
        make_link(lapses_at=NOW)
        assert lapsing.by_registration(at=NOW) == {}

    def test_of_a_link_that_already_needs_a_sign_in_is_not_counted(self, make_link):
        make_link(lapses_at=NOW + HOUR, status="needs_reauthorization")
        assert lapsing.by_registration(at=NOW) == {}


class TestADeadline:
    def test_of_a_link_that_will_be_renewed_is_counted_apart(self, registration, make_link):
        make_link(refresh_due_at=NOW + HOUR, refresh_deadline_at=NOW + 12 * HOUR)
        make_link(refresh_due_at=NOW + HOUR, refresh_deadline_at=NOW + 24 * HOUR)
        make_link(refresh_due_at=NOW + HOUR, refresh_deadline_at=NOW + 25 * HOUR)
        assert lapsing.by_registration(at=NOW) == {
            registration.pk: Lapsing(refreshing_in_12_hours=1, refreshing_in_24_hours=2)
        }

    def test_that_nothing_is_gained_by_meeting_is_no_renewal(self, make_link):
        make_link(refresh_due_at=None, refresh_deadline_at=NOW + HOUR)
        assert lapsing.by_registration(at=NOW) == {}

    def test_of_a_link_that_was_refused_is_not_met_by_asking_again(self, make_link):
        refused = {"status": "needs_reauthorization", "refused_at": NOW}
        link = make_link(refresh_due_at=NOW + HOUR, refresh_deadline_at=NOW + 12 * HOUR, **refused)
        make_link(parked_endpoint=link.endpoint, refresh_deadline_at=NOW + 12 * HOUR, **refused)
        assert lapsing.by_registration(at=NOW) == {}

    def test_counts_for_its_own_registration(self, registration, make_registration, make_link):
        other = make_registration("Another")
        make_link(other, refresh_due_at=NOW, refresh_deadline_at=NOW + HOUR, lapses_at=NOW + HOUR)
        make_link(refresh_due_at=NOW, refresh_deadline_at=NOW + HOUR)
        found = lapsing.by_registration(at=NOW)
        assert found[other.pk] == Lapsing(
            ending_in_12_hours=1, ending_in_24_hours=1, refreshing_in_12_hours=1, refreshing_in_24_hours=1
        )
        assert found[registration.pk] == Lapsing(refreshing_in_12_hours=1, refreshing_in_24_hours=1)
