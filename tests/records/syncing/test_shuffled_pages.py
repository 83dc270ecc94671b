"""A server repeats what came already, in a new order each time and behind new links: the step ends and is reported, and
no honest record ends that way."""

import itertools
import random

import pytest

from apps.directory.models import ClientRegistration
from apps.records import ledger
from apps.records.models import SyncRun, SyncStep
from apps.records.syncing.paging.detecting_repeats import Stretch
from tests.records.people import allergy, bundle
from tests.records.provider import ALLERGIES, CATEGORIES, METADATA, SWEEP, no_results, statement
from tests.records.runs import resume, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

Gap = SyncStep.Gap


@pytest.fixture(autouse=True)
def unhurried(linked):
    ClientRegistration.objects.update(requests_per_minute=100_000)


def to_its_end(run: SyncRun) -> SyncRun:
    for _turn in range(20):
        if run.finished_at is not None:
            return run
        resume(run)
    raise AssertionError("a run without end")


def pages_of(provider, rows_of_page, *, name="AllergyIntolerance"):
    """Each page has a link to the next as long as `rows_of_page` has another; its links are no two alike."""
    usual = provider.server.answer
    pages = iter(rows_of_page)
    waiting = [next(pages)]
    numbers = itertools.count(2)

    def answer(request):
        if f"/{name}?" not in request.target:
            return usual(request)
        rows = waiting.pop()
        waiting.extend(itertools.islice(pages, 1))
        url = f"{provider.base_url}/{name}?page={next(numbers)}" if waiting else None
        return [http(body=bundle(*rows, next_url=url))]

    provider.server.answer = answer


class TestPagesInEverAnotherOrder:
    def test_end_long_before_the_most_pages_there_may_be_and_are_told(self, linked, provider):
        chance = random.Random(7)
        rows = [allergy(f"a{number}") for number in range(30)]
        pages_of(provider, (chance.sample(rows, 10) for _page in itertools.count()))
        run = to_its_end(sync(linked))
        assert (run.outcome, step(run).gap, len(stored())) == ("partial", Gap.STOPPED_SHORT, 30)
        assert step(run).pages <= 300
        lines = ledger.lines(linked, run, provider="Harbor")
        told = next(one for one in lines if str(one.subject).startswith("Allergies"))
        assert told.sentence == "30 entries came. There may be more at Harbor that we could not get."

    def test_are_none_where_a_new_row_comes_now_and_then(self, linked, provider):
        """And much else again, as of a server that shows once more what changed meanwhile."""
        chance = random.Random(7)
        rows = [allergy(f"a{number}") for number in range(9)]
        pages_of(provider, ([*chance.sample(rows, 3), allergy(f"b{page // 90}")] for page in range(275)))
        run = to_its_end(sync(linked))
        assert (run.outcome, step(run).pages, len(stored())) == ("complete", 275, 9 + 4)

    def test_are_none_where_the_last_page_looked_at_is_the_first_with_a_new_row(self, linked, provider):
        chance = random.Random(7)
        rows = [allergy(f"a{number}") for number in range(5)]
        came = [chance.sample(rows, 5) for _page in range(199)]
        pages_of(provider, [*came, [allergy("b1")], [allergy("b2")]])
        run = to_its_end(sync(linked))
        assert (run.outcome, len(stored())) == ("complete", 7)

    def test_are_none_where_a_search_begins_again_late(self, linked, provider):
        """The server forgot its link after 120 pages; all of them come once more, and then the rest."""
        page = "GET /fhir/r4/AllergyIntolerance?page="
        for number in range(2, 260):
            url = provider.next_url(number + 1) if number < 259 else None
            provider.answers[f"{page}{number}"] = http(body=bundle(allergy(f"a{number}"), next_url=url))
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=provider.next_url(2)))
        kept, forgotten = provider.answers[f"{page}240"], [http(410)]
        provider.answers[f"{page}240"] = lambda _request: forgotten.pop() if forgotten else kept
        run = to_its_end(sync(linked))
        assert (run.outcome, len(stored())) == ("complete", 259)

    def test_are_none_where_each_search_brings_all_that_the_one_before_brought(self, linked, provider):
        """As of a server that does not look at the category."""
        provider.answers[METADATA] = http(body=statement("Patient", "Observation"))
        provider.answers |= no_results()
        for name in CATEGORIES[:3]:
            rows = [{"resourceType": "Observation", "id": f"o{number}"} for number in range(130)]
            rows += [{"resourceType": "Observation", "id": f"only-{name}"}]
            for number, row in enumerate(rows):
                here = SWEEP + name if number == 0 else f"GET /fhir/r4/Observation?page={name}-{number}"
                url = f"{provider.base_url}/Observation?page={name}-{number + 1}" if number < 130 else None
                provider.answers[here] = http(body=bundle(row, next_url=url))
        run = to_its_end(sync(linked))
        assert (run.outcome, len(stored("Observation"))) == ("complete", 133)


class TestAStretch:
    def test_is_long_when_all_that_is_known_would_have_come_three_times(self):
        stretch = Stretch(known=1000)
        for _page in range(299):
            stretch = stretch.after(10)
        assert not stretch.is_long
        assert stretch.after(10).is_long
        assert stretch.after(10).is_shuffled(known=1000)
        assert not stretch.after(10).is_shuffled(known=1001)

    def test_of_which_nothing_is_kept_is_none(self):
        """Rows of another patient are not, and tell nothing."""
        stretch = Stretch()
        for _page in range(500):
            stretch = stretch.after(0)
        assert not stretch.is_shuffled(known=0)
