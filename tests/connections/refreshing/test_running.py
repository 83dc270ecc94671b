"""One worker process refreshes what is due: no more at once than it has threads, and nothing is lost when it stops."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event, Lock, Thread

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.connections import refreshing, tallying, tasks
from apps.connections.models import Connection, RefreshPace, StoredTokenSet
from apps.connections.refreshing import attempting, claiming, running
from apps.directory.models import Endpoint
from apps.wire.errors import Throttled
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from config.celery import SCHEDULE
from tests.connections.link_rows import provider
from tests.connections.provider_stand_in import tokens
from tests.wire.servers import Recorded, http

__all__ = ["provider"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _not_stopping(monkeypatch):
    """Whatever a test stops begins anew."""
    monkeypatch.setattr(running, "_STOPPING", Event())


class Counting:
    """An answer of a token endpoint that takes its time, and how many requests were under way at once."""

    def __init__(self, seconds: float = 0.05, answer: bytes | None = None) -> None:
        self.answer = answer
        self.seconds = seconds
        self.most = self.now = self.number = 0
        self._lock = Lock()

    def __call__(self, _request: Recorded) -> Iterator[bytes]:
        with self._lock:
            self.now += 1
            self.number += 1
            number, self.most = self.number, max(self.most, self.now)
        time.sleep(self.seconds)
        with self._lock:
            self.now -= 1
        yield self.answer or tokens(refresh_token=f"rotated-{number}")


@pytest.fixture
def make_due(alice, place, provider):
    """So many links with tokens that open, due since a minute."""

    def make(number: int) -> list[Connection]:
        now = datetime.now(UTC)
        made = [
            Connection.objects.create(
                user=alice,
                endpoint=place.endpoint,
                provider=provider,
                registration=place.registration,
                status="active",
                fhir_patient_id=f"p-{one}",
                created_at=now,
                confirmed_at=now,
            )
            for one in range(number)
        ]
        given = TokenSet(Secret("access"), 300, Secret("refresh"))
        for link in made:
            refreshing.keep(link, given, issued_at=now - timedelta(hours=25))
        StoredTokenSet.objects.update(refresh_due_at=now - timedelta(minutes=1))
        return made

    return make


@pytest.fixture
def unhurried(monkeypatch):
    """A budget that is never used up."""
    monkeypatch.setattr("apps.directory.reaching.refreshes_per_second", lambda _dialect: 10_000)


def pull(*, seconds: float = 20, calls: list[float] | None = None) -> int:
    calls = [] if calls is None else calls
    return running.pull(clock=timezone.now, call_for_help=lambda: calls.append(time.monotonic()), seconds=seconds)


@contextmanager
def pulling_elsewhere(*, calls: list[float] | None = None) -> Iterator[Thread]:
    """In another thread, from the block's beginning; the block must see to it that it ends."""

    def work() -> None:
        try:
            pull(calls=calls)
        finally:
            database.close()

    thread = Thread(target=work)
    thread.start()
    yield thread
    thread.join(timeout=10)
    assert not thread.is_alive()


class TestAPull:
    def test_refreshes_what_is_due_and_plans_the_next(self, stand_in, make_due):
        made = make_due(3)
        stand_in.token = Counting()
        assert pull() == 3
        assert len(stand_in.token_requests) == 3
        now = datetime.now(UTC)
        for link in made:
            stored = StoredTokenSet.objects.get(pk=link.pk)
            assert stored.generation == 2
            assert stored.refresh_due_at is not None
            assert stored.refresh_due_at > now + timedelta(hours=17)
        assert pull() == 0

    def test_has_no_more_under_way_than_it_has_hands(self, stand_in, make_due, unhurried, monkeypatch):
        monkeypatch.setattr(running, "HANDS", 4)
        make_due(20)
        stand_in.token = counting = Counting()
        assert pull() == 20
        assert counting.most == 4

    def test_holds_no_more_than_it_has_hands(self, stand_in, make_due, unhurried, monkeypatch):
        """What it does not work on, others may."""
        monkeypatch.setattr(running, "HANDS", 3)
        make_due(12)
        held = []

        def answer(_request: Recorded) -> Iterator[bytes]:
            held.append(StoredTokenSet.objects.filter(attempt_id__isnull=False).count())
            database.close()
            time.sleep(0.05)
            yield tokens()

        stand_in.token = answer
        pull()
        assert max(held) <= 3

    def test_waits_for_the_budget_of_a_server(self, stand_in, make_due):
        make_due(20)
        stand_in.token = Counting(seconds=0)
        began = time.monotonic()
        assert pull() == 20
        assert 0.9 < time.monotonic() - began < 5

    def test_is_the_only_one_of_its_process(self, stand_in, make_due):
        make_due(1)
        stand_in.token = Counting(seconds=0.5)
        with pulling_elsewhere():
            while not stand_in.token_requests:
                time.sleep(0.01)
            assert pull() == 0
        assert len(stand_in.token_requests) == 1

    def test_calls_for_help_while_its_hands_are_full(self, stand_in, make_due, unhurried, monkeypatch):
        monkeypatch.setattr(running, "HANDS", 2)
        make_due(8)
        stand_in.token = Counting()
        calls: list[float] = []
        pull(calls=calls)
        assert len(calls) == 1

    def test_calls_for_nobody_where_its_hands_suffice(self, stand_in, make_due):
        make_due(3)
        stand_in.token = Counting()
        calls: list[float] = []
        pull(calls=calls)
        assert calls == []

    def test_ends_in_time_and_lets_others_go_on(self, stand_in, make_due):
        make_due(40)
        stand_in.token = Counting(seconds=0)
        calls: list[float] = []
        assert 10 <= pull(seconds=0.4, calls=calls) < 40
        assert calls

    def test_calls_for_others_when_a_thread_of_its_own_process_could_go_on(self, stand_in, make_due):
        make_due(30)
        stand_in.token = Counting(seconds=0)
        gone_on: list[int] = []
        running.pull(clock=timezone.now, call_for_help=lambda: gone_on.append(pull(seconds=2)), seconds=0.1)
        assert sum(gone_on) > 0

    def test_takes_links_again_whose_endpoint_is_on_again(self, stand_in, make_due, place):
        make_due(2)
        stand_in.token = Counting(seconds=0)
        Endpoint.objects.filter(pk=place.endpoint.pk).update(is_switched_on=False)
        assert pull() == 0
        Endpoint.objects.filter(pk=place.endpoint.pk).update(is_switched_on=True)
        assert pull() == 2

    def test_goes_on_where_one_attempt_broke_off(self, stand_in, make_due, monkeypatch, caplog):
        made = make_due(3)
        attempt = attempting.attempt

        def break_off(claim, *, clock):
            if claim.connection.pk == made[1].pk:
                raise RuntimeError
            return attempt(claim, clock=clock)

        monkeypatch.setattr(attempting, "attempt", break_off)
        stand_in.token = Counting()
        pull()
        assert StoredTokenSet.objects.filter(generation=2).count() == 2
        assert "A refresh broke off" in caplog.text
        assert tallying.totals()[made[1].registration_id, tallying.Outcome.OURS] == 1

    def test_asks_a_silent_server_less_and_less_and_as_usual_after_its_first_answer(self, stand_in, make_due, place):
        make_due(30)
        stand_in.token = Counting(seconds=0, answer=http(500))
        pull(seconds=3)
        assert len(stand_in.token_requests) < 25
        RefreshPace.objects.update(next_at=datetime.now(UTC))
        stand_in.token = Counting(seconds=0)
        pull(seconds=1)
        assert RefreshPace.objects.get().silences == 0


class TestARefreshThatSomebodyWaitsFor:
    def test_slows_everybody_down_where_the_server_asks_for_it(self, stand_in, make_due):
        """It takes nothing from the budget, and what it hears counts."""
        waiting, *_others = make_due(3)
        stand_in.token = http(429, Retry_After=30)
        with pytest.raises(Throttled):
            refreshing.usable_token(waiting, at=timezone.now())
        assert len(stand_in.token_requests) == 1
        assert pull(seconds=1) == 0


class TestADeployment:
    def test_ends_what_is_in_hand_and_takes_nothing_more(self, stand_in, make_due, unhurried, monkeypatch):
        monkeypatch.setattr(running, "HANDS", 4)
        make_due(30)
        stand_in.token = Counting(seconds=0.2)
        calls: list[float] = []
        with pulling_elsewhere(calls=calls):
            while not stand_in.token_requests:
                time.sleep(0.01)
            tasks._stop_refreshing()
        asked = len(stand_in.token_requests)
        assert asked <= 8
        assert StoredTokenSet.objects.filter(generation=2).count() == asked
        assert not StoredTokenSet.objects.filter(attempt_id__isnull=False).exists()
        assert calls  # for a worker that stays
        assert pull() == 0


class TestTheMessage:
    def test_comes_each_minute_and_says_nothing(self):
        row = next(row for row in SCHEDULE if row.task == tasks.refresh_due.name)
        assert row.every == timedelta(minutes=1)

    def test_lets_a_worker_refresh_what_is_due(self, stand_in, make_due, worker):
        make_due(2)
        stand_in.token = Counting()
        tasks.refresh_due.delay()
        until = time.monotonic() + 15
        while StoredTokenSet.objects.filter(generation=2).count() < 2:
            assert time.monotonic() < until
            time.sleep(0.05)

    def test_that_asks_for_help_expires_before_the_next_beat(self, monkeypatch):
        sent: list[dict[str, object]] = []
        monkeypatch.setattr(tasks.refresh_due, "apply_async", lambda **options: sent.append(options))
        tasks._enqueue_refreshing()
        assert sent == [{"expires": 60}]


class TestLinksThatWereClaimedTogether:
    def test_look_for_their_keys_together(self, make_due, stand_in):
        stand_in.token = Counting(seconds=0)
        at = timezone.now()
        claims = claiming.claim([link.pk for link in make_due(3)], at=at)
        with CaptureQueriesContext(database) as captured:
            outcomes = [attempting.attempt(claim, clock=lambda: at).outcome for claim in claims]
        assert outcomes == [attempting.Outcome.REFRESHED] * 3
        assert len([query for query in captured if "vault_datakey" in query["sql"]]) == 1
