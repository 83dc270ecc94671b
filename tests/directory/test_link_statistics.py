"""What staff and patients read about how earlier attempts to connect ended."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.directory import tasks
from apps.directory.models import LinkDay
from apps.directory.monitoring import link_statistics
from apps.directory.monitoring.link_statistics import Ending
from config.celery import SCHEDULE
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

TROUBLE = "People are having trouble connecting here this week."
MOST = "Most people who tried in the last month were connected."


@pytest.fixture
def endpoint(make_provider, make_endpoint):
    return make_endpoint(make_provider("Harbor"))


@pytest.fixture
def happened(endpoint):
    """So many attempts of each kind ended, so many days ago."""

    def happened(days_ago: int = 0, **numbers: int) -> None:
        for name, number in numbers.items():
            for _ in range(number):
                link_statistics.note(endpoint, Ending(name), at=AT - timedelta(days=days_ago))

    return happened


def said(endpoint) -> str:
    return link_statistics.words(endpoint, at=AT)


class TestAPatient:
    def test_is_told_nothing_where_nobody_tried(self, endpoint):
        assert said(endpoint) == ""

    @pytest.mark.parametrize(
        "numbers",
        [{"completed": 4}, {"failed_there": 4}, {"abandoned": 4}, {"completed": 4, "refused_by_patient": 9}],
    )
    def test_is_told_nothing_where_fewer_than_five_attempts_are_known(self, numbers, endpoint, happened):
        happened(**numbers)
        assert said(endpoint) == ""

    def test_is_told_that_most_were_connected(self, endpoint, happened):
        happened(20, completed=3, failed_there=2)
        assert said(endpoint) == MOST

    @pytest.mark.parametrize("numbers", [{"completed": 3, "failed_here": 3}, {"completed": 3, "abandoned": 3}])
    def test_is_told_nothing_where_it_went_either_way(self, numbers, endpoint, happened):
        happened(20, **numbers)
        assert said(endpoint) == ""

    @pytest.mark.parametrize("numbers", [{"failed_there": 5}, {"completed": 2, "failed_here": 3}, {"abandoned": 5}])
    def test_is_told_of_trouble_this_week(self, numbers, endpoint, happened):
        happened(20, completed=50)
        happened(6, **numbers)
        assert said(endpoint).startswith(TROUBLE)

    def test_is_not_told_of_trouble_that_is_over(self, endpoint, happened):
        happened(7, failed_there=5)
        happened(0, completed=6)
        assert said(endpoint) == MOST

    def test_is_not_told_of_those_who_said_no_or_of_last_month(self, endpoint, happened):
        happened(3, refused_by_patient=20)
        happened(30, completed=20)
        assert said(endpoint) == ""

    def test_is_told_nothing_of_days_on_which_few_tried(self, endpoint, happened):
        for days in range(7):
            happened(days, failed_there=4)
        assert said(endpoint) == ""

    def test_is_told_what_five_say_though_one_comes_back_every_day(self, endpoint, happened):
        happened(0, completed=5)
        for days in range(1, 7):
            happened(days, failed_there=1)
        assert said(endpoint) == MOST

    @pytest.mark.parametrize(("ending", "words"), [("completed", "used this sign-in"), ("abandoned", "this sign-in")])
    def test_is_told_of_the_sign_in_where_providers_share_it(self, endpoint, happened, make_provider, ending, words):
        endpoint.providers.add(make_provider("Another practice"))
        happened(**{ending: 5})
        assert words in said(endpoint)
        assert "several providers" in said(endpoint).lower()

    def test_is_told_of_this_endpoint_alone(self, endpoint, happened, make_endpoint):
        happened(completed=9)
        other = make_endpoint(endpoint.providers.get(), host="other.example")
        assert said(other) == ""


class TestStaff:
    def test_see_numbers_of_an_endpoint_and_of_a_provider(self, endpoint, happened, make_endpoint):
        happened(2, completed=2, abandoned=1, failed_there=1, refused_by_patient=7)
        recent = link_statistics.at_endpoint(endpoint, at=AT)
        assert (recent.tried, recent.percent, recent.last_success) == (4, 50, (AT - timedelta(days=2)).date())
        provider = endpoint.providers.get()
        second = make_endpoint(provider, host="second.example")
        link_statistics.note(second, Ending.COMPLETED, at=AT)
        both = link_statistics.at_provider(provider, at=AT)
        assert (both.completed, both.percent, both.last_success) == (3, 60, AT.date())

    def test_see_no_share_of_nothing(self, endpoint):
        assert link_statistics.at_endpoint(endpoint, at=AT) == link_statistics.Recent()
        assert link_statistics.Recent().percent is None


class TestDays:
    def test_are_kept_for_sixty(self, happened):
        happened(60, completed=1)
        happened(61, completed=1)
        assert link_statistics.forget_old(at=AT) == 1
        assert LinkDay.objects.get().date == (AT - timedelta(days=60)).date()
        assert tasks.forget_old_link_days.name in {row.task for row in SCHEDULE}

    def test_are_forgotten_by_the_schedule(self, endpoint):
        for days_ago in (1, 62):
            link_statistics.note(endpoint, Ending.COMPLETED, at=timezone.now() - timedelta(days=days_ago))
        tasks.forget_old_link_days()
        assert LinkDay.objects.get().date == (timezone.now() - timedelta(days=1)).date()

    def test_are_one_row_each(self, endpoint, happened):
        happened(completed=3, abandoned=2)
        row = LinkDay.objects.get()
        assert (row.completed, row.abandoned, row.failed_here) == (3, 2, 0)
