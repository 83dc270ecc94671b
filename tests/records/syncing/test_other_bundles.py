"""Answers to searches with another type of Bundle, or totals that count something else: what came is kept, nothing
counts as complete that may not be, and nothing that came counts as lacking."""

import pytest

from apps.records.models import Record, SyncStep
from apps.wire import fhir
from tests.records.linked import AT
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, SWEEP, no_results, statement
from tests.records.runs import resume, step, stored, sync
from tests.wire.servers import http

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unhurried")]

Gap = SyncStep.Gap
PAGE = "GET /fhir/r4/AllergyIntolerance?page="
ODD_LINKS = "AllergyIntolerance?page=2"


def found(linked, provider, page):
    """How the search ends that this page answers."""
    provider.answers[ALLERGIES] = http(body=page)
    run = sync(linked)
    return step(run).gap, stored()


class TestAnAnswerOfAnotherKind:
    @pytest.mark.parametrize("kind", ["collection", None, "Searchset"])
    def test_is_taken_for_what_it_is_where_it_may_answer_a_search(self, linked, provider, kind):
        assert found(linked, provider, {**bundle(allergy("a1")), "type": kind}) == ("", {"a1"})

    @pytest.mark.parametrize("kind", ["history", "batch-response", "transaction-response"])
    def test_is_not_all_there_is_unless_its_count_says_so(self, linked, provider, kind):
        assert found(linked, provider, {**bundle(allergy("a1")), "type": kind}) == (Gap.STOPPED_SHORT, {"a1"})
        assert found(linked, provider, {**bundle(allergy("a1"), total=1), "type": kind}) == ("", {"a1"})

    @pytest.mark.parametrize("kind", ["history", "batch-response"])
    def test_is_no_proof_that_what_it_does_not_hold_is_gone(self, linked, provider, kind):
        sync(linked)
        provider.answers[ALLERGIES] = http(body={**bundle(), "type": kind})
        run = sync(linked, at=AT.replace(minute=59))
        assert (run.outcome, step(run).gap, stored()) == ("partial", Gap.STOPPED_SHORT, {"a1", "a2"})
        assert not Record.objects.exclude(removed_at=None, unseen_at=None).exists()

    def test_is_not_complete_where_something_of_it_was_deleted(self, linked, provider):
        rows = [
            {"request": {"method": "DELETE", "url": "AllergyIntolerance/a1"}, "response": {"status": "204"}},
            *({"resource": allergy(name), "request": {"method": "PUT"}} for name in ("a2", "a1")),
        ]
        page = {**bundle(total=3), "type": "history", "entry": rows}
        assert found(linked, provider, page) == (Gap.STOPPED_SHORT, {"a2"})
        assert SyncStep.objects.get(resource_type="AllergyIntolerance").rows_unreadable == 1

    @pytest.mark.parametrize(
        ("code", "gap"),
        [("exception", Gap.UNAVAILABLE), ("required", Gap.REFUSED), ("forbidden", Gap.STOPPED_SHORT)],
    )
    def test_is_told_by_the_reason_it_gives_unless_trying_again_would_change_nothing(self, linked, provider, code, gap):
        outcome = {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": code}]}
        rows = [{"resource": allergy("a1")}, {"response": {"status": "403", "outcome": outcome}}]
        page = {**bundle(), "type": "batch-response", "entry": rows}
        assert found(linked, provider, page) == (gap, {"a1"})

    def test_is_asked_for_again_where_it_says_that_it_cannot_answer_now(self, linked, provider):
        outcome = {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "timeout"}]}
        rows = [{"response": {"status": "504", "outcome": outcome}}]
        provider.answers[ALLERGIES] = http(body={**bundle(), "type": "batch-response", "entry": rows})
        run = sync(linked)
        assert (run.outcome, run.pauses) == ("", 1)
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1")))
        resume(run)
        assert (run.outcome, stored()) == ("complete", {"a1"})

    def test_brings_no_row_of_a_page_within_it(self, linked, provider):
        """Whom those are about nobody looked."""
        within = {**bundle(allergy("x9", patient_id="p-9999")), "id": "b1"}
        assert found(linked, provider, bundle(allergy("a1"), within)) == (Gap.UNREADABLE, {"a1"})
        assert not Record.objects.filter(resource_type="Bundle").exists()


class TestATotal:
    def test_that_is_lower_than_what_came_is_no_gap(self, linked, provider):
        assert found(linked, provider, bundle(allergy("a1"), allergy("a2"), total=1)) == ("", {"a1", "a2"})

    @pytest.mark.parametrize("total", [0, 1, 3])
    def test_that_is_not_what_came_says_nothing_where_the_links_cannot_be_read(self, linked, provider, total):
        page = {**bundle(allergy("a1"), allergy("a2"), total=total), "link": ODD_LINKS}
        assert found(linked, provider, page) == (Gap.STOPPED_SHORT, {"a1", "a2"})

    def test_of_each_page_by_itself_says_nothing_of_the_search(self, linked, provider):
        first = bundle(allergy("a1"), allergy("a2"), total=2, next_url=provider.next_url(2))
        provider.answers[f"{PAGE}2"] = http(body={**bundle(allergy("a3"), allergy("a4"), total=2), "link": ODD_LINKS})
        assert found(linked, provider, first) == (Gap.STOPPED_SHORT, {"a1", "a2", "a3", "a4"})

    def test_of_the_whole_search_says_that_its_last_page_is_the_last(self, linked, provider):
        first = bundle(allergy("a1"), allergy("a2"), total=3, next_url=provider.next_url(2))
        provider.answers[f"{PAGE}2"] = http(body={**bundle(allergy("a3"), total=3), "link": ODD_LINKS})
        assert found(linked, provider, first) == ("", {"a1", "a2", "a3"})

    def test_counts_what_came_and_cannot_be_read(self, linked, provider):
        page = {**bundle(allergy("a1"), {"resourceType": "AllergyIntolerance"}, total=2), "link": ODD_LINKS}
        assert found(linked, provider, page) == (Gap.UNREADABLE, {"a1"})

    def test_of_one_search_says_nothing_of_the_others(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient", "Observation"))
        rows = [{"resourceType": "Observation", "id": f"o{number}"} for number in range(3)]
        provider.answers |= no_results()
        provider.answers[SWEEP + "laboratory"] = http(body=bundle(*rows[:2], total=2))
        provider.answers[SWEEP + "survey"] = http(body={**bundle(rows[2], total=1), "link": ODD_LINKS})
        assert step(sync(linked), "Observation").gap == ""
        provider.answers[SWEEP + "survey"] = http(body={**bundle(rows[2], total=3), "link": ODD_LINKS})
        assert step(sync(linked), "Observation").gap == Gap.STOPPED_SHORT

    @pytest.mark.parametrize(("number", "gap"), [(4, ""), (5, Gap.STOPPED_SHORT)])
    def test_that_may_be_no_more_than_the_length_of_a_full_page_is_no_end(
        self, linked, provider, monkeypatch, number, gap
    ):
        monkeypatch.setattr(fhir, "_PAGE_BYTES", 20_000)
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a0", note=[{"text": "x" * 30_000}])))
        rows = [allergy(f"a{name}") for name in range(number)]
        provider.answers[f"{ALLERGIES}&_count=5"] = http(body={**bundle(*rows, total=number), "link": ODD_LINKS})
        run = sync(linked)
        assert (step(run).gap, len(stored())) == (gap, number)

    def test_that_was_an_estimate_is_no_gap_where_the_last_page_counts_what_came(self, linked, provider):
        first = bundle(allergy("a1"), allergy("a2"), total=10, next_url=provider.next_url(2))
        provider.answers[f"{PAGE}2"] = http(body=bundle(allergy("a3"), total=3))
        assert found(linked, provider, first) == ("", {"a1", "a2", "a3"})

    @pytest.mark.parametrize("first", [2, None])
    def test_that_grew_to_more_than_came_is_a_gap(self, linked, provider, first):
        page = bundle(allergy("a1"), allergy("a2"), total=first, next_url=provider.next_url(2))
        provider.answers[f"{PAGE}2"] = http(body=bundle(allergy("a3"), total=9))
        assert found(linked, provider, page) == (Gap.STOPPED_SHORT, {"a1", "a2", "a3"})
        assert SyncStep.objects.get(resource_type="AllergyIntolerance").rows_counted == 9

    @pytest.mark.parametrize("last", [1, 2, 4, 10, None])
    def test_that_nothing_corrects_is_believed(self, linked, provider, last):
        first = bundle(allergy("a1"), allergy("a2"), total=10, next_url=provider.next_url(2))
        provider.answers[f"{PAGE}2"] = http(body=bundle(allergy("a3"), total=last))
        assert found(linked, provider, first) == (Gap.STOPPED_SHORT, {"a1", "a2", "a3"})
        assert SyncStep.objects.get(resource_type="AllergyIntolerance").rows_counted == 10


class TestATotalThatMayCountOnePageAlone:
    """Nobody can tell where the links cannot be read: as many rows as counted may be a full page."""

    def answer(self, provider, *, of_page, of_few):
        """A page of so many rows that counts as many, and what a page of five then counts."""
        rows = [allergy(f"a{number}") for number in range(of_page)]
        provider.answers[f"{ALLERGIES}&_count=5"] = http(body={**bundle(*rows[:5], total=of_few), "link": ODD_LINKS})
        return {**bundle(*rows, total=of_page), "link": ODD_LINKS}

    def test_counts_the_search_where_a_shorter_page_counts_the_same(self, linked, provider):
        page = self.answer(provider, of_page=25, of_few=25)
        gap, rows = found(linked, provider, page)
        step_of_it = SyncStep.objects.get(resource_type="AllergyIntolerance")
        assert (gap, len(rows), step_of_it.rows_got, step_of_it.rows_counted) == ("", 25, 25, 25)
        assert len(provider.sent(f"{ALLERGIES}&_count=5")) == 1

    @pytest.mark.parametrize("of_few", [5, 24, 26, None])
    def test_is_no_end_where_a_shorter_page_counts_otherwise(self, linked, provider, of_few):
        page = self.answer(provider, of_page=25, of_few=of_few)
        gap, rows = found(linked, provider, page)
        assert (gap, len(rows)) == (Gap.STOPPED_SHORT, 25)

    @pytest.mark.parametrize("answer", [http(400), http(404), http(body="<html>")])
    def test_is_no_end_where_no_shorter_page_is_given(self, linked, provider, answer):
        page = self.answer(provider, of_page=25, of_few=25)
        provider.answers[f"{ALLERGIES}&_count=5"] = answer
        gap, rows = found(linked, provider, page)
        assert (gap, len(rows), len(provider.sent(ALLERGIES))) == (Gap.STOPPED_SHORT, 25, 1)

    def test_is_no_end_where_the_shorter_page_is_as_long(self, linked, provider):
        page = self.answer(provider, of_page=25, of_few=25)
        provider.answers[f"{ALLERGIES}&_count=5"] = http(body=page)
        gap, rows = found(linked, provider, page)
        assert (gap, len(rows)) == (Gap.STOPPED_SHORT, 25)

    def test_is_no_end_where_the_shorter_page_is_as_long_with_what_nobody_can_read(self, linked, provider):
        page = self.answer(provider, of_page=25, of_few=25)
        page["entry"][7]["resource"].pop("id")
        provider.answers[f"{ALLERGIES}&_count=5"] = http(body=page)
        gap, rows = found(linked, provider, page)
        assert (gap, len(rows)) == (Gap.STOPPED_SHORT, 24)

    @pytest.mark.parametrize(("total", "gap"), [(26, ""), (25, Gap.STOPPED_SHORT)])
    def test_is_no_doubt_where_an_earlier_search_counted_what_came_in_several_pages(self, linked, provider, total, gap):
        """Though the provider heeds no wish for a shorter page."""
        provider.answers[METADATA] = http(body=statement("Patient", "Observation"))
        rows = [{"resourceType": "Observation", "id": f"o{number}"} for number in range(60)]
        provider.answers |= no_results()
        second = f"{provider.base_url}/Observation?page=2"
        provider.answers[SWEEP + "laboratory"] = http(body=bundle(*rows[:25], total=total, next_url=second))
        provider.answers["GET /fhir/r4/Observation?page=2"] = http(body=bundle(*rows[25:total], total=total))
        survey = http(body={**bundle(*rows[30:55], total=25), "link": ODD_LINKS})
        provider.answers |= {SWEEP + "survey": survey, f"{SWEEP}survey&_count=5": survey}
        run = sync(linked)
        assert (step(run, "Observation").gap, len(stored("Observation"))) == (gap, total + 25)

    def test_is_not_doubted_where_no_page_is_so_short(self, linked, provider):
        assert found(linked, provider, self.answer(provider, of_page=9, of_few=5))[0] == ""
        assert not provider.sent(f"{ALLERGIES}&_count=5")


class TestATotalThatCountsWhatComesAlong:
    GOALS = f"GET /fhir/r4/Goal?patient={PATIENT_ID}"
    ALONG = f"{GOALS}&_revinclude=Provenance%3Atarget"

    @pytest.fixture(autouse=True)
    def goals(self, provider):
        capability = statement("Patient", "AllergyIntolerance", "Goal")
        capability["rest"][0]["resource"][-1]["searchRevInclude"] = ["Provenance:target"]
        provider.answers[METADATA] = http(body=capability)

    def along(self, provider, *, total, rows=2, company=3):
        """On two pages, counted as one."""
        page_two = f"{provider.base_url}/Goal?page=2"
        goals = [{"resourceType": "Goal", "id": f"g{number}"} for number in range(rows)]
        theirs = [{"resourceType": "Provenance", "id": f"v{number}"} for number in range(company)]
        provider.answers[self.ALONG] = http(body=bundle(*goals[:1], *theirs[:1], total=total, next_url=page_two))
        provider.answers["GET /fhir/r4/Goal?page=2"] = http(body=bundle(*goals[1:], *theirs[1:], total=total))

    def test_is_no_gap_where_the_rows_alone_are_as_many_as_came(self, linked, provider):
        self.along(provider, total=5)
        provider.answers[self.GOALS] = http(body=bundle({"resourceType": "Goal", "id": "g0"}, total=2))
        run = sync(linked)
        goals = step(run, "Goal")
        assert (goals.gap, goals.rows_got, goals.rows_counted, run.outcome) == ("", 2, 2, "complete")
        assert stored("Goal") == {"g0", "g1"}
        assert (len(provider.sent(self.ALONG)), len(provider.sent(self.GOALS))) == (1, 1)

    def test_is_asked_for_by_whoever_goes_on_with_the_run(self, linked, provider):
        self.along(provider, total=5)
        provider.answers[self.GOALS] = http(503)
        run = sync(linked)
        assert (run.outcome, stored("Goal")) == ("", {"g0", "g1"})
        provider.answers[self.GOALS] = http(body=bundle({"resourceType": "Goal", "id": "g0"}, total=2))
        resume(run)
        assert (step(run, "Goal").gap, step(run, "Goal").rows_got, step(run, "Goal").rows_counted) == ("", 2, 2)
        assert len(provider.sent(self.ALONG)) == 1

    @pytest.mark.parametrize(
        "alone",
        [
            *(http(body=bundle(total=total)) for total in (5, 1, None)),
            http(body=bundle(*({"resourceType": "Goal", "id": f"g{number}"} for number in range(3)), total=2)),
        ],
    )
    def test_is_believed_where_the_rows_alone_are_counted_otherwise(self, linked, provider, alone):
        """A server that stops half way brings a row of company for each, as well."""
        self.along(provider, total=5)
        provider.answers[self.GOALS] = alone
        assert (step(sync(linked), "Goal").gap, stored("Goal")) == (Gap.STOPPED_SHORT, {"g0", "g1"})

    @pytest.mark.parametrize("alone", [http(400), http(403), http(500)])
    def test_is_believed_where_nobody_counts_the_rows_alone(self, linked, provider, alone):
        self.along(provider, total=4)
        provider.answers[self.GOALS] = alone
        run = sync(linked)
        for _pause in range(10):
            if not run.outcome:
                resume(run)
        assert (step(run, "Goal").gap, step(run, "Goal").rows_counted) == (Gap.STOPPED_SHORT, 4)
        assert len(provider.sent(self.ALONG)) == 1

    @pytest.mark.parametrize("total", [2, 6])
    def test_is_not_asked_for_where_it_is_no_such_count(self, linked, provider, total):
        self.along(provider, total=total)
        run = sync(linked)
        assert step(run, "Goal").gap == ("" if total == 2 else Gap.STOPPED_SHORT)
        assert not provider.sent(self.GOALS)
