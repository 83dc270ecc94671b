"""A few hundred links over two days: an outage of 20 hours, servers that throttle, a worker killed every hour.

At full size: `make bench AREA=refresh`.
"""

from datetime import UTC, datetime, timedelta

import pytest

from apps.connections.models import StoredTokenSet
from apps.connections.refreshing import running
from benchmarks import earliest_deadline, many_links, refresh_days, two_days
from benchmarks.earliest_deadline import Best, Job
from benchmarks.many_links import NOT_ROTATING, NOT_YET_SEEN, OFFLINE, ROTATING
from benchmarks.two_days import Days, Seen

pytestmark = pytest.mark.django_db(transaction=True)

BEGINS_AT = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = Days(step=timedelta(minutes=4), beat=timedelta(minutes=10))
HOUR = 3600


def live(*servers: tuple[many_links.Kind, int, float], usual: float) -> tuple[Seen, list[Best]]:
    """Servers by kind, number of links and what they bear a second."""
    made = [many_links.make_server(kind, links, at=BEGINS_AT, per_second=bears) for kind, links, bears in servers]
    many_links.fill(made, at=BEGINS_AT, token_bytes=64)
    best = [refresh_days.best_of(server, DAYS, begins_at=BEGINS_AT) for server in made]
    with two_days.budgets(per_second=usual, step=DAYS.step, least=usual / 10):
        return two_days.live(made, DAYS, begins_at=BEGINS_AT), best


class TestTwoDays:
    def test_lose_nothing_where_nothing_need_be_lost(self):
        """The larger server needs two hours to catch up, and the smaller bears half of what we think it does."""
        seen, best = live(
            (ROTATING, 150, 0.025), (ROTATING, 60, 0.0125), (NOT_YET_SEEN, 40, 0.025), (NOT_ROTATING, 40, 0.025),
            (OFFLINE, 60, 0.025), usual=0.025,
        )  # fmt: skip
        assert sum(one.lost for one in best) == seen.lost == 0
        assert seen.failed > 0
        assert seen.throttled > 0
        assert seen.killed > 0
        assert seen.peak_of_one_server <= 0.025 + 1e-9
        assert 20 < seen.worst_lateness_hours < 24
        assert seen.least_left_hours > 0
        rotating = StoredTokenSet.objects.filter(registration__rotates_refresh_tokens=True)
        ends_at = BEGINS_AT + DAYS.lasts
        assert not rotating.filter(refresh_deadline_at__lte=ends_at).exists()
        assert not rotating.filter(refresh_due_at__isnull=True).exists()
        assert not StoredTokenSet.objects.filter(attempt_id__isnull=False, lease_until__gt=ends_at).exists()

    def test_find_out_that_a_server_does_not_rotate_and_leave_it_alone(self):
        seen, _best = live((NOT_YET_SEEN, 40, 0.025), usual=0.025)
        assert seen.refreshed == 40
        assert not StoredTokenSet.objects.filter(refresh_due_at__isnull=False).exists()

    def test_lose_what_cannot_be_saved(self):
        seen, best = live((ROTATING, 150, 0.001), usual=0.001)
        assert seen.lost > 0
        assert sum(one.lost for one in best) > 0


class TestFigures:
    def figures(self, seen: Seen) -> dict[str, float]:
        return refresh_days.figures(seen, [Best(worst_lateness=20 * HOUR)], scale=0.02)

    @pytest.mark.parametrize(("per_second", "workers"), [(1.9, 3), (2.0, 4), (6.4, 10)])
    def test_count_as_many_workers_as_the_busiest_step_took(self, per_second, workers):
        """Of half a second a call and 16 hands each; nothing caps it at the goal."""
        assert self.figures(Seen(peak_per_second=per_second))["workers"] == workers

    def test_simulate_more_hands_than_budgets_let_work(self):
        """So that the busiest step is as busy as servers allow: ten a second for each of those that beat asks."""
        hands_per_second = Days.workers * running.HANDS / Days.call_seconds
        assert hands_per_second > 10 * (len(refresh_days._UNLIKE) + len(refresh_days._ALIKE) + 1)

    def test_hold_lateness_against_that_of_the_best(self):
        assert self.figures(Seen(worst_lateness_hours=25.0))["lateness_to_best"] == 1.25


class TestTheBest:
    def job(self, due: float, deadline: float) -> Job:
        return Job(due=due, deadline=deadline, due_after=100, deadline_after=200, is_last=True)

    def best(self, *jobs: Job, out: tuple[float, float] = (0.0, 0.0)) -> Best:
        return earliest_deadline.best(jobs, per_second=0.1, out=out, until=1000)

    def test_goes_by_deadline(self):
        assert self.best(self.job(0, 25), self.job(0, 15), self.job(0, 5)).lost == 0
        assert self.best(self.job(0, 25), self.job(0, 15), self.job(0, 15)).lost == 0

    def test_loses_what_falls_into_an_outage(self):
        found = self.best(self.job(0, 50), self.job(0, 150), out=(0, 100))
        assert (found.lost, found.done, found.worst_lateness) == (1, 1, 100)

    def test_can_do_one_thing_at_a_time(self):
        assert self.best(self.job(0, 5), self.job(0, 5)).lost == 1
