"""Pages that break off in the middle: what can be read is kept, and the rest is named."""

import itertools

import pytest

from apps.directory.models import ClientRegistration
from apps.records import ledger
from apps.records.models import Record, SyncStep
from apps.wire import fhir
from tests.records.linked import AT
from tests.records.people import PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, SWEEP, no_results, once, statement
from tests.records.runs import resume, step, stored, sync
from tests.wire.servers import http, serving

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unhurried")]

Gap = SyncStep.Gap
PAGE = "GET /fhir/r4/AllergyIntolerance?page="


def three_pages(provider, *, stranger=()):
    """Of one allergy each; strangers' come with the first."""
    answers = {
        ALLERGIES: http(body=bundle(allergy("a1"), *stranger, total=3, next_url=provider.next_url(2))),
        f"{PAGE}2": http(body=bundle(allergy("a2"), total=3, next_url=provider.next_url(3))),
        f"{PAGE}3": http(body=bundle(allergy("a3"), total=3)),
    }
    provider.answers.update(answers)
    return answers


class TestALinkThatIsGone:
    @pytest.mark.parametrize("status", [400, 403, 404, 410])
    def test_costs_no_row_where_the_search_can_begin_again(self, linked, provider, status):
        answers = three_pages(provider)
        provider.answers[f"{PAGE}3"] = once(http(status), answers[f"{PAGE}3"])
        run = sync(linked)
        assert (run.outcome, stored(), step(run).gap) == ("complete", {"a1", "a2", "a3"}, "")
        assert (step(run).rows_got, step(run).rows_kept, step(run).rows_counted) == (3, 3, 3)

    @pytest.mark.parametrize("status", [403, 410])
    def test_is_named_where_it_is_gone_again(self, linked, provider, status):
        three_pages(provider)
        provider.answers[f"{PAGE}3"] = http(status)
        run = sync(linked)
        assert (run.outcome, stored(), step(run).gap) == ("partial", {"a1", "a2"}, Gap.STOPPED_SHORT)
        assert len(provider.sent(ALLERGIES)) == 2

    @pytest.mark.parametrize("status", [400, 403, 404, 410])
    def test_is_named_where_the_first_page_is_gone_then_as_well(self, linked, provider, status):
        """It is neither withheld nor unknown to its provider: it came a moment ago."""
        answers = three_pages(provider)
        provider.answers |= {ALLERGIES: once(answers[ALLERGIES], http(status)), f"{PAGE}2": http(status)}
        run = sync(linked)
        assert (run.outcome, stored(), step(run).gap) == ("partial", {"a1"}, Gap.STOPPED_SHORT)
        assert len(provider.sent(ALLERGIES)) == 2

    @pytest.mark.parametrize("status", [302, 304, 308])
    def test_is_none_that_leads_elsewhere_and_nobody_is_followed_there(self, linked, provider, status):
        three_pages(provider)
        with serving(http(body=bundle(allergy("evil")))) as elsewhere:
            provider.answers[f"{PAGE}3"] = http(status, location=elsewhere.url("/fhir/r4/AllergyIntolerance?page=3"))
            run = sync(linked)
        assert (run.outcome, stored(), step(run).gap) == ("partial", {"a1", "a2"}, Gap.STOPPED_SHORT)
        assert not elsewhere.requests

    def test_counts_no_stranger_twice(self, linked, provider):
        answers = three_pages(provider, stranger=[allergy("x9", patient_id="p-9999")])
        provider.answers[f"{PAGE}2"] = once(http(410), answers[f"{PAGE}2"])
        run = sync(linked)
        assert (step(run).gap, step(run).rows_refused) == (Gap.OTHER_PATIENT, 1)

    def test_hides_no_row_that_another_search_lacks(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient", "Observation"))
        provider.answers |= no_results()
        rows = [{"resourceType": "Observation", "id": f"o{number}"} for number in range(4)]
        url = f"{provider.base_url}/Observation?page=2"
        provider.answers[SWEEP + "laboratory"] = http(body=bundle(*rows[:2], total=3, next_url=url))
        provider.answers["GET /fhir/r4/Observation?page=2"] = once(http(410), http(body=bundle(rows[2], total=3)))
        provider.answers[SWEEP + "survey"] = http(body=bundle(rows[3], total=2))
        run = sync(linked)
        counted = step(run, "Observation")
        assert (counted.rows_got, counted.rows_counted, counted.gap) == (4, 5, Gap.STOPPED_SHORT)


class TestALastPageForEver:
    """Each has a link to the next, and each link is another."""

    def pages(self, provider, rows):
        usual = provider.server.answer
        numbers = itertools.count(2)

        def answer(request):
            if "AllergyIntolerance" not in request.target:
                return usual(request)
            return [http(body=bundle(*rows(), next_url=provider.next_url(next(numbers))))]

        provider.server.answer = answer

    def test_ends_soon_and_is_named(self, linked, provider):
        self.pages(provider, lambda: [allergy("a1"), allergy("a2")])
        run = sync(linked)
        assert (run.outcome, stored(), step(run).gap) == ("partial", {"a1", "a2"}, Gap.STOPPED_SHORT)
        assert len([asked for asked in provider.asked if "AllergyIntolerance" in asked]) < 15

    def test_ends_where_nothing_is_on_it_and_is_named(self, linked, provider):
        ClientRegistration.objects.update(requests_per_minute=10_000)
        self.pages(provider, list)
        run = sync(linked)
        assert (run.outcome, step(run).gap, step(run).pages) == ("partial", Gap.STOPPED_SHORT, 100)
        told = next(
            one for one in ledger.lines(linked, run, provider="Harbor") if str(one.subject).startswith("Allergies")
        )
        assert told.sentence == "0 entries came. There may be more at Harbor that we could not get."

    def test_is_none_where_a_server_withholds_many_rows_page_by_page(self, linked, provider):
        """Some cut pages first, and take out of each what this patient may not see."""
        ClientRegistration.objects.update(requests_per_minute=10_000)
        numbers = itertools.count()
        usual = provider.next_url

        def rows():
            number = next(numbers)
            if number == 150:
                provider.next_url = lambda _page: None
            return [allergy(f"a{number}")] if number % 90 == 0 or number == 150 else []

        self.pages(provider, rows)
        run = sync(linked)
        provider.next_url = usual
        assert (run.outcome, stored()) == ("complete", {"a0", "a90", "a150"})

    @pytest.mark.parametrize("length", [2, 3, 12])
    def test_ends_soon_where_several_pages_come_round_again(self, linked, provider, length):
        numbers = itertools.count()
        self.pages(provider, lambda: [allergy(f"a{max(next(numbers) - 1, 0) % length}")])
        run = sync(linked)
        assert (run.outcome, len(stored()), step(run).gap) == ("partial", length, Gap.STOPPED_SHORT)
        assert step(run).pages <= 10 * max(length, 10)

    def test_is_none_where_each_page_repeats_the_row_before(self, linked, provider):
        numbers = itertools.count()
        usual = provider.next_url

        def rows():
            number = next(numbers)
            if number == 30:
                provider.next_url = lambda _page: None
            return [allergy(f"a{number}"), allergy(f"a{number + 1}")]

        self.pages(provider, rows)
        run = sync(linked)
        provider.next_url = usual
        assert (run.outcome, len(stored())) == ("complete", 32)


class TestAPageThatIsTooLarge:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch):
        monkeypatch.setattr(fhir, "_PAGE_BYTES", 20_000)

    def test_is_asked_for_in_parts(self, linked, provider):
        three_pages(provider)
        provider.answers[f"{PAGE}2"] = http(body=bundle(allergy("a2", note=[{"text": "x" * 30_000}])))
        few = [allergy("a1"), allergy("a2"), allergy("a3")]
        provider.answers[f"{ALLERGIES}&_count=5"] = http(body=bundle(*few, total=3))
        run = sync(linked)
        assert (run.outcome, stored(), step(run).rows_got) == ("complete", {"a1", "a2", "a3"}, 3)

    @pytest.mark.parametrize("status", [400, 403, 404])
    def test_is_named_as_that_where_its_parts_are_refused(self, linked, provider, status):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1", note=[{"text": "x" * 30_000}])))
        provider.answers[f"{ALLERGIES}&_count=5"] = http(status)
        run = sync(linked)
        assert (step(run).gap, run.outcome) == (Gap.TOO_MUCH, "partial")

    def test_is_asked_for_in_another_way_where_its_parts_are_refused(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient", "Immunization"))
        large = {"resourceType": "Immunization", "id": "i1", "note": [{"text": "x" * 30_000}]}
        usual = f"GET /fhir/r4/Immunization?patient={PATIENT_ID}"
        statuses = f"{usual}&status=completed%2Centered-in-error%2Cnot-done"
        provider.answers |= {usual: http(body=bundle(large)), f"{usual}&_count=5": http(400)}
        assert step(sync(linked), "Immunization").gap == Gap.TOO_MUCH
        provider.answers[statuses] = http(body=bundle({"resourceType": "Immunization", "id": "i1"}))
        assert step(sync(linked), "Immunization").gap == ""

    def test_is_named_where_nothing_makes_it_smaller(self, linked, provider):
        large = http(body=bundle(allergy("a1", note=[{"text": "x" * 30_000}])))
        provider.answers |= {ALLERGIES: large, f"{ALLERGIES}&_count=5": large}
        run = sync(linked)
        assert (step(run).gap, stored(), stored("Patient")) == (Gap.TOO_MUCH, set(), {PATIENT_ID})
        assert len([asked for asked in provider.asked if "AllergyIntolerance" in asked]) == 2


class TestANextLinkThatNobodyCanRead:
    @pytest.mark.parametrize("url", [None, "", 7])
    def test_costs_no_row_of_its_page_and_is_named(self, linked, provider, url):
        page = bundle(allergy("a1"), allergy("a2"))
        provider.answers[ALLERGIES] = http(body={**page, "link": [{"relation": "next", "url": url}]})
        run = sync(linked)
        assert (stored(), step(run).gap, run.outcome) == ({"a1", "a2"}, Gap.STOPPED_SHORT, "partial")

    @pytest.mark.parametrize("link", [{"more": "Goal?page=2"}, "AllergyIntolerance?page=2"])
    def test_may_be_there_where_no_link_is_readable_and_nothing_was_counted(self, linked, provider, link):
        provider.answers[ALLERGIES] = http(body={**bundle(allergy("a1")), "link": link})
        run = sync(linked)
        assert (stored(), step(run).gap, run.outcome) == ({"a1"}, Gap.STOPPED_SHORT, "partial")
        provider.answers[ALLERGIES] = http(body={**bundle(allergy("a1"), total=1), "link": link})
        run = sync(linked)
        assert (stored(), step(run).gap, run.outcome) == ({"a1"}, "", "complete")


class TestARemarkThatASearchFailed:
    @pytest.mark.parametrize(
        ("issue", "gap"),
        [
            ({"severity": "error", "code": "exception"}, Gap.UNAVAILABLE),
            ({"severity": "warning", "code": "incomplete"}, Gap.UNAVAILABLE),
            ({"severity": "error", "code": "forbidden"}, Gap.UNAVAILABLE),  # it came before: in doubt at first
            ({"severity": "error", "code": "required"}, Gap.REFUSED),
        ],
    )
    def test_is_a_gap_and_no_proof_that_anything_is_gone(self, linked, provider, issue, gap):
        sync(linked)
        remark = {"resourceType": "OperationOutcome", "issue": [issue]}
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), remark))
        run = sync(linked, at=AT.replace(minute=59))
        assert (step(run).status, step(run).gap, step(run).rows_kept) == ("gap", gap, 1)
        assert not Record.objects.filter(removed_at__isnull=False).exists()

    @pytest.mark.parametrize("code", ["timeout", "throttled"])
    def test_in_place_of_rows_is_a_reason_to_ask_again_in_the_same_run(self, linked, provider, code):
        remark = {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": code}]}
        provider.answers |= {ALLERGIES: http(body=bundle(remark, total=0)), PATIENT: http(body=remark)}
        run = sync(linked)
        assert (run.outcome, run.pauses) == ("", 1)
        provider.answers |= {ALLERGIES: http(body=bundle(allergy("a1"))), PATIENT: http(body=R4_PATIENT)}
        resume(run)
        assert (run.outcome, stored(), stored("Patient")) == ("complete", {"a1"}, {PATIENT_ID})

    def test_is_none_where_it_only_warns(self, linked, provider):
        remark = {"resourceType": "OperationOutcome", "issue": [{"severity": "warning", "code": "suppressed"}]}
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), remark))
        assert sync(linked).outcome == "complete"


class TestWhatIsMissing:
    def test_is_not_hidden_by_a_row_of_somebody_else(self, linked, provider):
        stranger = allergy("x9", patient_id="p-9999")
        page = bundle(allergy("a1"), stranger, total=5, next_url="http://127.0.0.1:1/fhir/r4/AllergyIntolerance")
        provider.answers[ALLERGIES] = http(body=page)
        run = sync(linked)
        assert (step(run).gap, step(run).rows_refused) == (Gap.STOPPED_SHORT, 1)

    def test_is_not_hidden_by_a_row_that_cannot_be_read(self, linked, provider):
        odd = {"resourceType": "AllergyIntolerance"}
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), odd, next_url=provider.next_url(2)))
        provider.answers[f"{PAGE}2"] = http(405)
        run = sync(linked)
        assert (step(run).gap, step(run).rows_unreadable) == (Gap.REFUSED, 1)

    def test_is_no_row_that_came_and_cannot_be_read(self, linked, provider):
        odd = {"resourceType": "AllergyIntolerance"}
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), odd, total=2))
        assert step(sync(linked)).gap == Gap.UNREADABLE

    @pytest.mark.parametrize(
        ("answer", "gap"),
        [(b"<html>", Gap.UNREADABLE), ({**bundle(), "link": [{"relation": "next"}]}, Gap.STOPPED_SHORT)],
        ids=["unreadable", "cut"],
    )
    def test_is_what_trying_again_may_bring_where_another_part_is_not_shared(self, linked, provider, answer, gap):
        """So that nobody takes the record for checked, and reads that all that is missing was not allowed."""
        provider.answers[METADATA] = http(body=statement("Patient", "Observation"))
        provider.answers |= no_results()
        provider.answers |= {f"{SWEEP}vital-signs": http(403), f"{SWEEP}survey": http(body=answer)}
        run = sync(linked)
        linked.refresh_from_db()
        assert (step(run, "Observation").gap, linked.last_checked_at) == (gap, None)


class TestSearchesThatOverlap:
    """A row that two categories have is counted twice: of their sum nobody can say what is missing."""

    def test_are_not_told_by_what_they_counted_together(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient", "Observation"))
        rows = [{"resourceType": "Observation", "id": f"o{number}"} for number in range(6)]
        provider.answers |= no_results()
        provider.answers[SWEEP + "laboratory"] = http(body=bundle(*rows[:5], total=5))
        provider.answers[SWEEP + "survey"] = http(body=bundle(*rows[:5], total=6))
        run = sync(linked)
        assert (step(run, "Observation").gap, len(stored("Observation"))) == (Gap.STOPPED_SHORT, 5)
        lines = ledger.lines(linked, run, provider="Harbor")
        told = next(one for one in lines if str(one.subject) == "Results")
        said = (
            "For all results and measurements together: 5 entries came. There may be more at Harbor that we could not "
            "get."
        )
        assert told.sentence == said

    def test_are_told_by_it_where_none_came_twice(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient", "Observation"))
        rows = [{"resourceType": "Observation", "id": f"o{number}"} for number in range(6)]
        provider.answers |= no_results()
        provider.answers[SWEEP + "laboratory"] = http(body=bundle(*rows[:3], total=4))
        provider.answers[SWEEP + "survey"] = http(body=bundle(*rows[3:], total=3))
        run = sync(linked)
        lines = ledger.lines(linked, run, provider="Harbor")
        told = next(one for one in lines if str(one.subject) == "Results")
        said = "For all results and measurements together: Harbor counted 7 but sent 6. We cannot reach the rest."
        assert told.sentence == said
