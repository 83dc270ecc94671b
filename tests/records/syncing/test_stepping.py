"""One resource type: its pages, and whatever can be wrong with them."""

import contextlib
from datetime import timedelta

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext

from apps.audit.models import AuditEvent, EventType
from apps.records import ledger
from apps.records.models import Record, Shelf, SyncRun, SyncStep
from apps.records.syncing import stepping
from tests.records.linked import AT, give_tokens
from tests.records.people import PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, statement
from tests.records.runs import resume, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

Gap = SyncStep.Gap


class TestPaging:
    def test_goes_on_to_the_last_page(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=3, next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(
            body=bundle(allergy("a2"), total=3, next_url=provider.next_url(3))
        )
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=3"] = http(body=bundle(allergy("a3"), total=3))
        run = sync(linked)
        assert stored() == {"a1", "a2", "a3"}
        assert (step(run).status, step(run).pages, step(run).rows_kept) == ("complete", 3, 3)

    def test_stops_where_links_run_in_a_circle(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(
            body=bundle(allergy("a2"), next_url=provider.next_url(2))
        )
        run = sync(linked)
        assert stored() == {"a1", "a2"}
        assert (step(run).gap, step(run).pages, run.outcome) == (Gap.STOPPED_SHORT, 2, SyncRun.Outcome.PARTIAL)

    @pytest.mark.conformance("C56")
    def test_stops_where_links_run_in_a_circle_that_does_not_come_back_to_its_first(self, linked, provider):
        """1, 2, 3, 4, 5, 6, 4, ...: no page holds the rows of the one before it."""
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=provider.next_url(2)))
        for page, following in ((2, 3), (3, 4), (4, 5), (5, 6), (6, 4)):
            provider.answers[f"GET /fhir/r4/AllergyIntolerance?page={page}"] = http(
                body=bundle(allergy(f"a{page}"), next_url=provider.next_url(following))
            )
        run = sync(linked)
        assert stored() == {f"a{page}" for page in range(1, 7)}
        assert (step(run).gap, run.outcome) == (Gap.STOPPED_SHORT, SyncRun.Outcome.PARTIAL)
        assert step(run).pages < 3 * 6

    def test_stops_where_somebody_fills_our_disk(self, linked, provider, monkeypatch):
        monkeypatch.setattr(stepping, "MOST_BYTES", 10)
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(body=bundle(allergy("a2")))
        run = sync(linked)
        assert stored() == {"a1"}
        assert (step(run).gap, step(run).pages) == (Gap.TOO_MUCH, 1)

    @pytest.mark.parametrize(("most", "of_what", "pages"), [(2, "MOST_PAGES", 2), (1, "MOST_ROWS", 3)])
    def test_stops_where_there_is_no_end_to_it(self, linked, provider, monkeypatch, most, of_what, pages):
        monkeypatch.setattr(stepping, of_what, most)
        for page in range(1, 6):
            asked = ALLERGIES if page == 1 else f"GET /fhir/r4/AllergyIntolerance?page={page}"
            provider.answers[asked] = http(body=bundle(allergy(f"a{page}"), next_url=provider.next_url(page + 1)))
        run = sync(linked)
        assert stored() == {f"a{page}" for page in range(1, pages + 1)}
        assert (step(run).gap, step(run).pages) == (Gap.TOO_MUCH, pages)

    @pytest.mark.parametrize(("late", "gap", "came"), [(0, "", {"a1", "a2", "a3"}), (1, Gap.TOO_MUCH, {"a1", "a2"})])
    def test_stops_where_it_has_gone_on_for_days(self, linked, provider, late, gap, came):
        second = "GET /fhir/r4/AllergyIntolerance?page=2"
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=provider.next_url(2)))
        provider.answers[second] = http(503)
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=3"] = http(body=bundle(allergy("a3")))
        run = sync(linked)
        provider.answers[second] = http(body=bundle(allergy("a2"), next_url=provider.next_url(3)))
        at = AT + stepping.LONGEST + timedelta(minutes=2 * late - 1)
        give_tokens(linked, issued_at=at)
        resume(run, at=at)
        assert (step(run).gap, stored()) == (gap, came)

    def test_says_so_where_fewer_came_than_were_counted(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=9))
        run = sync(linked)
        assert (step(run).gap, step(run).rows_counted, step(run).rows_kept) == (Gap.STOPPED_SHORT, 9, 1)

    def test_does_not_mind_a_count_that_is_too_low(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), allergy("a2"), total=1))
        assert sync(linked).outcome == SyncRun.Outcome.COMPLETE

    def test_counts_a_row_on_two_pages_once(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(body=bundle(allergy("a1"), total=2))
        run = sync(linked)
        assert (step(run).gap, step(run).rows_kept) == (Gap.STOPPED_SHORT, 1)

    def test_sends_no_token_to_another_origin(self, linked, provider):
        elsewhere = "http://127.0.0.1:1/fhir/r4/AllergyIntolerance?page=2"
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), next_url=elsewhere))
        run = sync(linked)
        assert stored() == {"a1"}
        assert step(run).gap == Gap.STOPPED_SHORT

    def test_counts_what_nobody_can_read(self, linked, provider):
        page = bundle(allergy("a1"), total=2)
        page["entry"].append({"resource": {"resourceType": "AllergyIntolerance"}})
        provider.answers[ALLERGIES] = http(body=page)
        run = sync(linked)
        assert stored() == {"a1"}
        assert (step(run).gap, step(run).rows_unreadable) == (Gap.UNREADABLE, 1)


class TestLookingUpWhatIsHeld:
    """A first copy asks Postgres nothing about rows that cannot be there (decision 0013)."""

    def test_is_left_out_of_a_first_copy_alone(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1")))
        with looking_up() as first:
            sync(linked)
        with looking_up() as second:
            sync(linked, at=AT + timedelta(minutes=20))
        assert (len(first), len(second)) == (0, 2)  # of the patient, and of the allergy
        assert stored() == {"a1"}


class TestMakingSteps:
    def test_reads_those_of_the_run_before_at_once(self, linked, provider):
        sync(linked)
        with CaptureQueriesContext(database) as queries:
            sync(linked, at=AT + timedelta(minutes=20))
        one_by_one = [query for query in queries if query["sql"].endswith("LIMIT 21") and "syncstep" in query["sql"]]
        assert len(one_by_one) <= 1


@contextlib.contextmanager
def looking_up():
    """The statements that look up which rows of a page are held."""
    seen = []

    def look(execute, sql, values, many, context):
        if sql.lstrip().startswith("UPDATE records_record AS held"):
            seen.append(sql)
        return execute(sql, values, many, context)

    with database.execute_wrapper(look):
        yield seen


class TestRowsOfAnotherPatient:
    def test_are_not_kept_and_raise_an_alarm(self, linked, provider, caplog):
        provider.answers[ALLERGIES] = http(
            body=bundle(allergy("a1"), allergy("x9", patient_id="p-9999"), allergy("a3", patient_id=None), total=3)
        )
        run = sync(linked)
        assert stored() == {"a1", "a3"}
        assert (step(run).gap, step(run).rows_refused, run.outcome) == (Gap.OTHER_PATIENT, 1, "partial")
        assert AuditEvent.objects.get(event=EventType.RECORD_REFUSED).facts["rows"] == 1
        assert "name another patient" in caplog.text
        assert "p-9999" not in caplog.text
        assert "x9" not in caplog.text

    def test_raise_it_also_where_the_run_is_given_up_before_their_type_is_done(self, linked, provider):
        page = bundle(allergy("a1"), allergy("x9", patient_id="p-9999"), next_url=provider.next_url(2))
        provider.answers[ALLERGIES] = http(body=page)
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(503)
        run = sync(linked)
        assert not AuditEvent.objects.filter(event=EventType.RECORD_REFUSED).exists()
        linked.disconnect(at=AT)
        resume(run)
        assert run.outcome
        assert AuditEvent.objects.get(event=EventType.RECORD_REFUSED).facts["rows"] == 1


class TestOneFailingType:
    @pytest.mark.parametrize(
        ("answer", "gap"),
        [
            (http(403), Gap.NOT_SHARED),
            (http(404), Gap.NOT_OFFERED),
            (http(405), Gap.NOT_OFFERED),
            (http(400), Gap.REFUSED),
            (http(body="<html>"), Gap.UNREADABLE),
            (http(body=R4_PATIENT), Gap.UNREADABLE),
            (http(302, location="https://elsewhere.example/"), Gap.REFUSED),
        ],
    )
    def test_never_hides_the_others(self, linked, provider, answer, gap):
        provider.answers[ALLERGIES] = answer
        run = sync(linked)
        assert stored("Patient") == {PATIENT_ID}
        assert (step(run).status, step(run).gap) == ("gap", gap)
        assert step(run, "Patient").status == "complete"

    @pytest.mark.conformance("C46")
    def test_that_is_not_shared_leaves_the_others_working(self, linked, provider):
        provider.answers[PATIENT] = http(403, www_authenticate='Bearer error="insufficient_scope"')
        run = sync(linked)
        assert step(run, "Patient").gap == "not_shared"
        assert stored() == {"a1", "a2"}
        linked.refresh_from_db()
        assert linked.status == "active"

    def test_counts_as_checked_where_patient_or_provider_decided_it(self, linked, provider):
        provider.answers[ALLERGIES] = http(403)
        assert sync(linked).outcome == SyncRun.Outcome.PARTIAL
        linked.refresh_from_db()
        assert linked.last_checked_at is not None

    def test_does_not_count_as_checked_where_something_broke(self, linked, provider):
        provider.answers[ALLERGIES] = http(400)
        sync(linked)
        linked.refresh_from_db()
        assert linked.last_checked_at is None

    def test_is_not_said_to_be_offered_no_more_where_the_server_says_that_it_is(self, linked, provider):
        sync(linked)
        provider.answers[ALLERGIES] = http(404)
        run = sync(linked, at=AT + timedelta(minutes=9))
        assert (run.outcome, step(run).gap) == (SyncRun.Outcome.PARTIAL, Gap.UNAVAILABLE)
        told = next(one for one in ledger.lines(linked, run, provider="Harbor") if str(one.subject).startswith("Aller"))
        assert (told.word, told.entries) == ("Not complete", 2)
        assert "offer" not in told.sentence
        provider.answers[METADATA] = http(body=statement("Patient"))
        assert step(sync(linked, at=AT + timedelta(minutes=18))).gap == Gap.NOT_OFFERED

    def test_leaves_what_was_there(self, linked, provider):
        sync(linked)
        provider.answers[ALLERGIES] = http(403)
        provider.answers[PATIENT] = http(400)
        assert sync(linked, at=AT + timedelta(minutes=9)).outcome == SyncRun.Outcome.FAILED
        assert Record.objects.count() == 3
        assert Shelf.objects.count() == 2
