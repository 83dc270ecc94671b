"""The outcome of an attempt to link is counted once, if it says something about the provider, and without a name."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.core.cache import cache
from django.db import OperationalError, transaction
from django.db import connections as databases
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from redis.exceptions import RedisError

from apps.connections import tasks
from apps.connections.authorization_responses import outcome_counts
from apps.connections.callback import confirming
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.models.trial import Trial
from apps.connections.outcomes import Outcome
from apps.directory.models import LinkDay
from apps.directory.monitoring import link_statistics
from apps.directory.monitoring.link_statistics import Ending
from apps.portal import starting
from config.celery import SCHEDULE
from tests.connections.conftest import page_after
from tests.connections.provider_stand_in import CODE
from tests.faults.at_once import results, together
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


def counted() -> dict[str, int]:
    """What was counted at all, by ending."""
    rows = list(LinkDay.objects.values(*Ending))
    sums = {ending.value: sum(row[ending.value] for row in rows) for ending in Ending}
    return {name: number for name, number in sums.items() if number}


def expire() -> None:
    AuthorizationRequest.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


class TestAnOutcome:
    def test_is_either_counted_or_known_to_say_nothing(self):
        assert {*outcome_counts.ENDINGS} | outcome_counts.NOT_COUNTED == {*Outcome}
        assert not {*outcome_counts.ENDINGS} & outcome_counts.NOT_COUNTED


class TestAnAttempt:
    def test_that_succeeds_is_counted_at_its_endpoint(self, traveller, place):
        connection = traveller.link(place)
        assert counted() == {}
        starting.confirm_and_start(connection, candidate=0, at=timezone.now())
        assert counted() == {"completed": 1}
        row = LinkDay.objects.get()
        assert (row.endpoint, row.date) == (place.endpoint, timezone.now().date())

    def test_is_counted_once_however_often_its_answer_comes(self, traveller, place):
        departed = traveller.leave(place)
        for _ in range(3):
            traveller.come_back(place, code=CODE, state=departed.state)
        connection = Connection.objects.get()
        for _ in range(3):
            starting.confirm_and_start(connection, candidate=0, at=timezone.now())
        assert counted() == {"completed": 1}

    def test_that_finds_somebody_else_s_record_is_no_success(self, traveller, place):
        connection = traveller.link(place)
        confirming.decline(connection, at=timezone.now())
        assert counted() == {}

    @pytest.mark.parametrize(
        ("error", "ending"),
        [
            ("access_denied", {"refused_by_patient": 1}),
            ("server_error", {}),
            ("temporarily_unavailable", {}),
            ("invalid_request", {}),
            ("unauthorized_client", {}),
            ("login_required", {}),
            ("made_up", {}),
        ],
    )
    def test_that_a_browser_calls_failed_is_counted_as_the_patient_s_no_alone(self, error, ending, traveller, place):
        departed = traveller.leave(place)
        traveller.come_back(place, error=error, state=departed.state)
        assert counted() == ending

    @pytest.mark.parametrize(
        ("answer", "ending"),
        [
            (http(503), "failed_there"),
            (http(400, {"error": "invalid_grant"}), "failed_there"),
            (http(401, {"error": "invalid_client"}), "failed_here"),
        ],
    )
    def test_whose_code_was_not_taken_is_counted(self, answer, ending, traveller, place, stand_in):
        stand_in.token = answer
        traveller.come_back(place, code=CODE, state=traveller.leave(place).state)
        assert counted() == {ending: 1}

    def test_of_nobody_is_not_counted(self, traveller, place):
        traveller.leave(place)
        traveller.come_back(place, code=CODE, state="made-up")
        assert counted() == {}


class TestAnAccount:
    AT = datetime(2026, 5, 4, 9, tzinfo=UTC)

    def count(self, place, outcome, user_id, days=0):
        outcome_counts.count(place.endpoint, outcome, user_id=user_id, at=self.AT + timedelta(days=days))

    def test_counts_once_a_day(self, place):
        somebody = uuid4()
        for _ in range(20):
            self.count(place, Outcome.PROVIDER_DOWN, somebody)
        assert counted() == {"failed_there": 1}
        self.count(place, Outcome.PROVIDER_DOWN, uuid4())
        self.count(place, Outcome.PROVIDER_DOWN, somebody, days=1)
        assert counted() == {"failed_there": 3}

    def test_counts_as_connected_where_it_came_to_that(self, place):
        somebody = uuid4()
        for outcome in (Outcome.PROVIDER_DOWN, Outcome.CONFIRMED, Outcome.CONFIRMED, Outcome.PROVIDER_DOWN):
            self.count(place, outcome, somebody)
        assert counted() == {"completed": 1}

    def test_decides_alone_what_nobody_reads(self, place):
        somebody = uuid4()
        for days in range(7):
            for _ in range(5):
                self.count(place, Outcome.PROVIDER_DOWN, somebody, days=days)
        assert counted() == {"failed_there": 7}
        assert link_statistics.words(place.endpoint, at=self.AT + timedelta(days=6)) == ""

    def test_leaves_no_name_behind(self, place):
        somebody = uuid4()
        self.count(place, Outcome.PROVIDER_DOWN, somebody)
        kept = outcome_counts._key(place.endpoint.pk, somebody, self.AT)
        assert str(somebody) not in kept
        assert somebody.hex not in kept
        assert outcome_counts._rest_of_the_day(self.AT) == 15 * 3600
        assert cache.get(kept) == "failed_there"

    def test_is_not_missed_where_the_cache_does_not_answer(self, place, monkeypatch):
        def fails(*_arguments, **_options):
            raise RedisError

        monkeypatch.setattr(cache, "add", fails)
        self.count(place, Outcome.PROVIDER_DOWN, uuid4())
        assert counted() == {}


class TestAnAbandonedAttempt:
    def test_is_counted_when_it_expires_and_not_before(self, traveller, place):
        traveller.leave(place)
        assert outcome_counts.count_abandoned(at=timezone.now()) == 0
        expire()
        assert outcome_counts.count_abandoned(at=timezone.now()) == 1
        assert outcome_counts.count_abandoned(at=timezone.now()) == 0
        assert counted() == {"abandoned": 1}
        assert LinkDay.objects.get().date == AuthorizationRequest.objects.get().expires_at.date()

    def test_is_counted_with_the_others_of_its_day(self, make_traveller, traveller, sam, place):
        traveller.leave(place)
        make_traveller(sam).leave(place)
        expire()
        assert outcome_counts.count_abandoned(at=timezone.now()) == 2
        assert counted() == {"abandoned": 2}

    @pytest.mark.parametrize("is_reversed", [True, False])
    def test_is_counted_in_the_order_of_endpoints_whoever_expired_first(self, is_reversed, make_place, traveller):
        """Two that count at once then never wait for each other."""
        places = [make_place(), make_place("Elm Street", path="/elm")]
        ids = sorted(str(place.endpoint.pk) for place in places)
        for place in places:
            traveller.leave(place)
        for hours, endpoint_id in enumerate(reversed(ids) if is_reversed else ids):
            expired_at = timezone.now() - timedelta(hours=9 - hours)
            AuthorizationRequest.objects.filter(endpoint__pk=endpoint_id).update(expires_at=expired_at)
        with CaptureQueriesContext(databases["default"]) as captured:
            outcome_counts.count_abandoned(at=timezone.now())
        updates = [query["sql"] for query in captured if query["sql"].startswith('UPDATE "directory_linkday"')]
        asked = [endpoint_id for sql in updates for endpoint_id in ids if UUID(endpoint_id).hex in sql.replace("-", "")]
        assert asked == sorted(asked)
        assert set(asked) == set(ids)

    def test_is_counted_once_for_each_account(self, traveller, place):
        for _ in range(3):
            traveller.leave(place)
            expire()
            outcome_counts.count_abandoned(at=timezone.now())
        assert counted() == {"abandoned": 1}

    def test_is_still_told_that_it_took_too_long(self, traveller, place):
        departed = traveller.leave(place)
        expire()
        outcome_counts.count_abandoned(at=timezone.now())
        assert "This took too long" in traveller.client.get(departed.page).content.decode()

    @pytest.mark.parametrize("counts_first", [True, False])
    def test_that_comes_back_too_late_is_counted_once(self, counts_first, traveller, place):
        departed = traveller.leave(place)
        expire()
        if counts_first:
            outcome_counts.count_abandoned(at=timezone.now())
        late = traveller.come_back(place, code=CODE, state=departed.state)
        assert "This took too long" in page_after(traveller, late)
        again = traveller.come_back(place, code=CODE, state=departed.state)
        assert "This step is already done" in page_after(traveller, again)
        outcome_counts.count_abandoned(at=timezone.now())
        assert counted() == {"abandoned": 1}

    def test_that_never_left_is_not_counted(self, traveller, place):
        traveller.client.post(place.before_you_go)
        expire()
        assert outcome_counts.count_abandoned(at=timezone.now()) == 0

    def test_of_staff_who_try_a_registration_out_is_not_counted(self, traveller, place):
        traveller.leave(place)
        expire()
        trial = Trial.objects.create(
            staff_id=traveller.user.pk,
            registration=place.registration,
            endpoint=place.endpoint,
            provider=place.provider,
            began_at=timezone.now(),
        )
        AuthorizationRequest.objects.update(trial=trial)
        assert outcome_counts.count_abandoned(at=timezone.now()) == 0

    def test_that_was_answered_is_not_counted_again(self, traveller, place):
        traveller.link(place)
        expire()
        assert outcome_counts.count_abandoned(at=timezone.now()) == 0

    def test_is_looked_for_on_the_schedule(self, traveller, place):
        traveller.leave(place)
        expire()
        tasks.count_abandoned()
        assert counted() == {"abandoned": 1}
        assert tasks.count_abandoned.name in {row.task for row in SCHEDULE}


class TestSomebodyAboutToLeave:
    def test_is_told_how_others_fared(self, traveller, place):
        page = traveller.client.get(place.before_you_go).content.decode()
        assert "having trouble" not in page
        for _ in range(5):
            outcome_counts.count(place.endpoint, Outcome.PROVIDER_DOWN, user_id=uuid4(), at=timezone.now())
        assert (
            "People are having trouble connecting here this week."
            in traveller.client.get(place.before_you_go).content.decode()
        )


@pytest.mark.django_db(transaction=True)
class TestTwoAtOnce:
    def test_are_both_counted(self, place):
        def count(_number):
            try:
                outcome_counts.count(place.endpoint, Outcome.CONFIRMED, user_id=uuid4(), at=timezone.now())
            finally:
                databases.close_all()

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(count, range(24)))
        assert counted() == {"completed": 24}

    def test_of_which_one_counts_the_abandoned_count_each_once(self, traveller, place):
        traveller.leave(place)
        expire()
        assert sorted(results(together(*[lambda: outcome_counts.count_abandoned(at=timezone.now())] * 4))) == [
            0,
            0,
            0,
            1,
        ]
        assert counted() == {"abandoned": 1}


@pytest.mark.django_db(transaction=True)
class TestACountThatFails:
    def test_leaves_the_attempt_to_be_counted_at_the_next_beat(self, traveller, place):
        def count_impatiently():
            try:
                with databases["default"].cursor() as cursor:
                    cursor.execute("SET lock_timeout = '100ms'")
                outcome_counts.count_abandoned(at=timezone.now())
            finally:
                databases.close_all()

        traveller.leave(place)
        expire()
        expired_at = AuthorizationRequest.objects.get().expires_at
        outcome_counts.count(place.endpoint, Outcome.CONFIRMED, user_id=uuid4(), at=expired_at)
        with ThreadPoolExecutor(1) as pool, transaction.atomic():
            LinkDay.objects.select_for_update().get()
            with pytest.raises(OperationalError):
                pool.submit(count_impatiently).result()
        assert counted() == {"completed": 1}
        assert outcome_counts.count_abandoned(at=timezone.now()) == 1
        assert counted() == {"completed": 1, "abandoned": 1}
