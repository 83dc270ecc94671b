"""One search for a type is refused for good: the other searches ask for changes, and that one asks for everything."""

import pytest

from apps.directory.models import ClientRegistration
from apps.records import ledger
from apps.records.models import SyncStep
from apps.records.syncing.paging import cursors
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.records.people import PATIENT_ID, bundle
from tests.records.provider import METADATA, statement
from tests.records.runs import check, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

Gap = SyncStep.Gap
OTHERS = (
    "laboratory",
    "vital-signs",
    "social-history",
    "survey",
    "imaging",
    "procedure",
    "exam",
    "therapy",
    "activity",
)
REFUSED = "sdoh"


def result(logical_id):
    return {"resourceType": "Observation", "id": logical_id, "status": "final", "code": {"text": logical_id}}


def address(category):
    return f"GET /fhir/r4/Observation?patient={PATIENT_ID}&category={category}"


@pytest.fixture(autouse=True)
def sweeps(linked, provider):
    """A result of each category but one; nothing changes after."""
    ClientRegistration.objects.update(requests_per_minute=1000)
    offered = statement("Patient", "Observation")
    offered["rest"][0]["resource"][1]["searchParam"] = [{"name": "_lastUpdated"}]
    provider.answers[METADATA] = http(body=offered)
    provider.answers |= {address(name): http(body=bundle(result(name), total=1)) for name in OTHERS}
    provider.answers[address(REFUSED)] = http(403)
    usual = provider.server.answer
    provider.server.answer = lambda request: (
        [http(body=bundle(total=0))] if "_lastUpdated" in request.target else usual(request)
    )


def counts(provider):
    """How often everything of each category was asked for."""
    return [len(provider.sent(address(name))) for name in OTHERS], len(provider.sent(address(REFUSED)))


class TestATypeOfWhichOneSearchIsRefused:
    def test_is_asked_for_what_changed_by_the_others(self, linked, provider):
        sync(linked)
        for days in (1, 2):
            run = check(linked, days)
            assert (step(run, "Observation").gap, run.outcome) == (Gap.NOT_SHARED, "partial")
            assert step(run, "Observation").since_at is not None
        assert counts(provider) == ([1] * 9, 3)

    def test_is_whole_once_that_one_is_answered(self, linked, provider):
        sync(linked)
        provider.answers[address(REFUSED)] = http(body=bundle(result("old"), total=1))
        second = check(linked, 1)
        assert (second.outcome, stored("Observation")) == ("complete", {*OTHERS, "old"})
        check(linked, 2)
        assert counts(provider) == ([1] * 9, 2)

    def test_loses_nothing_where_another_fails_for_a_day(self, linked, provider):
        sync(linked)
        usual = provider.server.answer
        provider.server.answer = lambda request: [http(400)] if "=survey" in request.target else usual(request)
        run = check(linked, 1)
        assert step(run, "Observation").gap == Gap.REFUSED
        provider.server.answer = usual
        provider.answers[address("survey")] = http(body=bundle(result("survey"), result("late"), total=2))
        assert step(check(linked, 2), "Observation").gap == Gap.NOT_SHARED
        assert "late" in stored("Observation")

    @pytest.mark.conformance("C57")
    def test_is_asked_for_everything_search_by_search_where_checks_for_changes_are_refused(self, linked, provider):
        """The one that lacked is asked for everything first, so that its answer says nothing of the others."""
        provider.answers[address("laboratory")] = http(403)
        sync(linked)
        provider.answers |= {address(name): http(body=bundle(result(name), total=1)) for name in (*OTHERS, REFUSED)}
        usual = provider.server.answer
        provider.server.answer = lambda request: [http(400)] if "_lastUpdated" in request.target else usual(request)
        run = check(linked, 1)
        assert (run.outcome, stored("Observation")) == ("complete", {*OTHERS, REFUSED})
        assert [len(provider.sent(address(name))) for name in OTHERS] == [2] * 9

    def test_is_asked_in_another_way_where_that_is_refused_after_a_search_that_is_not_shared(self, linked, provider):
        provider.answers |= {address(name): http(400) for name in (*OTHERS, REFUSED)}
        provider.answers[address("laboratory")] = http(403)
        usual = provider.server.answer
        provider.server.answer = lambda request: (
            [http(body=bundle(result("with-status")))] if "survey&status=" in request.target else usual(request)
        )
        run = sync(linked)
        assert stored("Observation") == {"with-status"}
        assert (step(run, "Observation").gap, run.outcome) == (Gap.REFUSED, "partial")

    def test_is_read_whole_where_a_row_of_it_cannot_be_read(self, linked, provider):
        """Nobody would name that row again."""
        odd = {"resourceType": "Observation"}
        provider.answers[address("exam")] = http(body=bundle(result("exam"), odd))
        sync(linked)
        run = check(linked, 1)
        assert (step(run, "Observation").rows_unreadable, counts(provider)) == (1, ([2] * 9, 2))

    def test_is_not_said_to_be_shared_nowhere_while_nothing_changes(self, linked):
        sync(linked)
        run = check(linked, 1)
        told = next(one for one in ledger.lines(linked, run, provider="Harbor") if str(one.subject) == "Results")
        assert (step(run, "Observation").rows_kept, told.word, told.entries) == (0, "Not all shared", 9)
        assert "Missing" not in told.sentence


class TestACursorOfAnEarlierRelease:
    def test_takes_no_search_for_whole_that_may_lack(self, linked):
        run = sync(linked)
        one = step(run, "Observation")
        with sealing.key_ring(Holder.user(run.user_id)) as ring:
            place = cursors._place(one)
            for written, unfinished in (
                ([3, None, None, False, 0, "not_shared"], (0, 1, 2, 3)),
                ([3, None, None, False, 0, ""], ()),
            ):
                one.sealed_cursor = ring.seal(str(written).replace("None", "null").replace("False", "false")
                                              .replace("'", '"').encode(), place=place)  # fmt: skip
                assert cursors.opened(one, ring).unfinished == unfinished
