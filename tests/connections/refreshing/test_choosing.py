"""Links that are due are found, the most urgent first, and no others."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection as database
from django.db import transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.connections.models import Connection, RefreshPace, StoredTokenSet
from apps.connections.refreshing import budgeting, choosing, claiming, parking
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.errors import Throttled
from tests.connections.link_rows import HOUR, NOW, make_link, make_registration, provider, registration

__all__ = ["make_link", "make_registration", "provider", "registration"]

MINUTE = timedelta(minutes=1)


@pytest.fixture
def make_due(make_link):
    """A link that has been due for a minute, with a day left, unless said otherwise."""

    def make(*under, **columns):
        columns.setdefault("refresh_due_at", NOW - MINUTE)
        columns.setdefault("refresh_deadline_at", NOW + 24 * HOUR)
        return make_link(*under, **columns)

    return make


@pytest.fixture
def no_spare(monkeypatch):
    """As many candidates as hands: their order is what the indexes say."""
    monkeypatch.setattr(choosing, "_SPARE", 0)


def taken(hands=10, *, at=NOW) -> list[Connection]:
    return [claim.connection for claim in choosing.take(hands, at=at).claims]


class TestWhatIsTaken:
    def test_is_what_is_due(self, make_due):
        due = make_due()
        make_due(refresh_due_at=NOW + MINUTE)
        make_due(refresh_due_at=None)
        assert taken() == [due]

    def test_is_held_until_its_lease_is_over_and_then_taken_again(self, make_due):
        """As after a worker that died."""
        due = make_due()
        assert taken() == [due]
        assert taken(at=NOW + HOUR) == []
        StoredTokenSet.objects.update(lease_until=NOW - HOUR)
        assert taken(at=NOW + HOUR) == [due]

    def test_is_found_again_where_a_worker_died_for_whom_somebody_waited(self, make_due):
        """Nothing was due, and the server may have used the token up: it is asked again before days have gone by."""
        made = make_due(refresh_due_at=NOW + 700 * HOUR, refresh_deadline_at=NOW + 2000 * HOUR)
        claiming.claim([made.pk], at=NOW)
        assert taken(at=NOW + MINUTE) == []
        StoredTokenSet.objects.update(lease_until=NOW - HOUR)
        assert taken(at=NOW + MINUTE) == [made]

    def test_is_no_more_than_there_are_hands(self, make_due):
        for _number in range(5):
            make_due()
        assert len(taken(3)) == 3
        assert len(taken(3)) == 2

    def test_is_by_deadline_where_less_than_half_a_day_is_left(self, make_due, no_spare):
        made = [make_due(refresh_deadline_at=NOW + hours * HOUR) for hours in (9, 3, 11, 1)]
        assert [taken(1) for _number in made] == [[made[3]], [made[1]], [made[0]], [made[2]]]

    def test_is_by_deadline_across_registrations(self, make_due, make_registration, no_spare):
        made = [
            make_due(make_registration(f"{hours}"), refresh_deadline_at=NOW + hours * HOUR) for hours in (9, 3, 11, 1)
        ]
        assert [taken(1) for _number in made] == [[made[3]], [made[1]], [made[0]], [made[2]]]

    def test_is_what_is_urgent_before_what_has_been_due_for_longer(self, make_due):
        long = make_due(refresh_due_at=NOW - 9 * HOUR, refresh_deadline_at=NOW + 40 * HOUR)
        urgent = make_due(refresh_due_at=NOW - MINUTE, refresh_deadline_at=NOW + 2 * HOUR)
        never = make_due(refresh_deadline_at=None)
        assert [taken(1) for _number in range(3)] == [[urgent], [long], [never]]

    def test_is_first_of_all_what_lost_its_answer_a_moment_ago(self, make_due):
        """A server that rotates lets the last token be repeated for a minute or two: nobody may be served before."""
        now = timezone.now()  # attempts are on the database's clock
        urgent = make_due(refresh_deadline_at=NOW + HOUR)
        long = make_due(refresh_due_at=NOW - 9 * HOUR)
        stays = make_due(is_rotated=False, attempt_started_at=now, refresh_deadline_at=NOW + 30 * HOUR)
        hopeless = make_due(attempt_started_at=now - 3 * MINUTE, refresh_deadline_at=NOW + 40 * HOUR)
        later = make_due(attempt_started_at=now - MINUTE / 2, refresh_due_at=NOW)
        sooner = make_due(attempt_started_at=now - MINUTE, refresh_due_at=NOW, is_rotated=True, attempt_id=uuid4())
        order = [taken(1) for _number in range(6)]
        assert {link.pk for (link,) in order[:2]} == {sooner.pk, later.pk}
        assert order[2:] == [[urgent], [long], [stays], [hopeless]]

    def test_is_of_every_registration(self, make_due, make_registration):
        made = {make_due(make_registration(f"{number}")).pk for number in range(5)}
        assert {link.pk for link in taken()} == made

    def test_includes_what_is_over_for_it_to_end_in_words(self, make_due, registration):
        RefreshPace.objects.create(registration=registration, next_at=NOW)
        over = make_due(refresh_deadline_at=NOW - MINUTE)
        assert taken() == [over]
        assert RefreshPace.objects.get().next_at == NOW  # it costs no call

    @pytest.mark.parametrize(
        "columns",
        [
            {"status": "needs_reauthorization"},
            {"status": "disconnected"},
            {"not_before_at": NOW + MINUTE},
            {"is_rotated": False, "not_before_at": NOW + MINUTE, "attempt_id": "6b7cd1ff-2f0f-4b80-8e56-7d5d3bbbbe3a"},
        ],
    )
    def test_is_not_what_has_to_wait(self, make_due, columns):
        make_due(**columns)
        assert choosing.take(10, at=NOW) == choosing.Taken([], waits=False)

    def test_is_not_an_open_attempt_of_a_server_known_not_to_rotate(self, make_due, make_registration):
        """It can wait, as `claiming` says too; nor does it take the hands of others first."""
        known = make_registration("known", rotates_refresh_tokens=False)
        died = timezone.now() - MINUTE / 2
        for _number in range(3):
            make_due(known, attempt_id=uuid4(), attempt_started_at=died, not_before_at=NOW + MINUTE)
        other = make_due()
        assert taken(3) == [other]

    @pytest.mark.parametrize("rows", [Endpoint, ClientRegistration])
    def test_is_not_what_staff_switched_off(self, make_due, rows):
        make_due()
        rows.objects.update(is_switched_on=False)
        assert choosing.take(10, at=NOW) == choosing.Taken([], waits=False)
        rows.objects.update(is_switched_on=True)
        parking.return_parked(at=NOW)
        assert len(taken()) == 1

    @pytest.mark.django_db(transaction=True)
    def test_is_what_no_other_worker_is_taking_at_this_moment(self, make_due):
        """Nobody waits for another's transaction."""
        held, free = make_due(), make_due()

        def come() -> list[Connection]:
            try:
                return taken()
            finally:
                database.close()

        with ThreadPoolExecutor(1) as pool, transaction.atomic():
            StoredTokenSet.objects.select_for_update().get(pk=held.pk)
            assert pool.submit(come).result(timeout=5) == [free]

    @pytest.mark.django_db(transaction=True)
    def test_is_taken_once_by_workers_who_come_at_once(self, make_due, make_registration):
        made = {make_due(make_registration(f"{number}")).pk for number in range(4)}
        made |= {make_due().pk for _number in range(8)}

        def come(_number: int) -> list[Connection]:
            try:
                return taken(2)
            finally:
                database.close()

        with ThreadPoolExecutor(6) as pool:
            found = [link.pk for links in pool.map(come, range(40)) for link in links]
        assert len(found) == len(set(found))
        assert set(found) == made


class TestARegistrationInTrouble:
    @pytest.fixture
    def troubled(self, make_registration):
        return make_registration("refused", trouble="invalid_client", trouble_at=NOW - HOUR, trouble_seen_at=NOW)

    def test_is_left_alone_and_others_are_not(self, make_due, troubled, make_registration):
        make_due(troubled)
        other = make_due(make_registration("other"))
        assert taken() == [other]

    def test_is_tried_by_one_link_when_it_may_be_over(self, make_due, troubled):
        for _number in range(5):
            make_due(troubled)
        assert len(taken(at=NOW + 16 * MINUTE)) == 1
        assert len(taken(at=NOW + 16 * MINUTE + timedelta(seconds=30))) == 0

    def test_is_tried_by_a_link_that_has_no_later(self, make_due, troubled):
        make_due(troubled)
        last = make_due(troubled, refresh_deadline_at=NOW + 10 * MINUTE)
        assert taken(at=NOW + MINUTE) == [last]

    def test_is_asked_for_all_its_links_when_it_is_mended(self, make_due, troubled):
        made = {make_due(troubled).pk for _number in range(5)}
        ClientRegistration.objects.update(trouble="", trouble_at=None, trouble_seen_at=None)
        assert {link.pk for link in taken()} == made

    def test_is_left_alone_where_nobody_knows_since_when(self, make_due, troubled):
        make_due(troubled)
        ClientRegistration.objects.update(trouble_at=None, trouble_seen_at=None)
        assert taken(at=NOW + 20 * HOUR) == []


class TestABudgetThatIsUsedUp:
    def test_leaves_the_rest_for_later_and_says_so(self, make_due):
        for _number in range(20):
            make_due()

        def take(seconds: int) -> choosing.Taken:
            at = NOW + timedelta(seconds=seconds)
            return choosing.take(20, at=at, budgets_at=at)

        first = take(0)
        assert (len(first.claims), first.waits) == (10, True)
        assert take(0) == choosing.Taken([], waits=True)
        assert len(take(2).claims) == 10
        assert take(9) == choosing.Taken([], waits=False)

    def test_is_not_a_matter_of_a_workers_clock(self, make_due, registration):
        """One that is hours ahead leaves the others their share: budgets are on the database's."""
        for _number in range(30):
            make_due()
        assert len(taken(20, at=NOW + 9 * HOUR)) == 10
        assert RefreshPace.objects.get().next_at < timezone.now() + MINUTE
        RefreshPace.objects.update(next_at=timezone.now() - MINUTE)
        assert len(taken(20)) == 10

    def test_ends_what_is_over_all_the_same(self, make_due, no_spare, monkeypatch):
        """It costs no call, wherever it stands among those that do."""
        monkeypatch.setattr(budgeting, "take", lambda wishes, **_when: dict.fromkeys(wishes, 1))
        for _number in range(3):
            make_due(refresh_deadline_at=NOW + HOUR, attempt_started_at=timezone.now())
        over = make_due(refresh_deadline_at=NOW - MINUTE)
        found = taken(4)
        assert len(found) == 2
        assert over in found

    def test_keeps_nobody_elses_links_waiting(self, make_due, make_registration, registration):
        for _number in range(5):
            make_due(refresh_deadline_at=NOW + HOUR)
        other = make_due(make_registration("other"))
        budgeting.failed(make_due(), Throttled(status=429, retry_after_seconds=50))
        assert taken(3) == [other]


class TestAnIdleSystem:
    def test_asks_one_question(self, make_link):
        for _number in range(3):
            make_link(refresh_due_at=NOW + HOUR)
        with CaptureQueriesContext(database) as captured:
            assert choosing.take(16, at=NOW) == choosing.Taken([], waits=False)
        assert len([query for query in captured if "SELECT" in query["sql"]]) == 1
