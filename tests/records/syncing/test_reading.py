"""Resources that are read one by one: the Patient, and what rows refer to, of which much may not be found."""

from datetime import timedelta

import pytest

from apps.directory.models import ClientRegistration
from apps.records import syncing
from apps.records.models import PendingRead, Record, SyncRun, SyncStep
from apps.records.syncing import running, stepping, unanswered_references
from tests.records.linked import AT
from tests.records.people import allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, hung_up, statement
from tests.records.runs import check, resume, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

_ROWS = 40
DOCTOR = "GET /fhir/r4/Practitioner/"


class TestReferencesThatLeadNowhere:
    @pytest.fixture(autouse=True)
    def many(self, linked, provider, monkeypatch):
        monkeypatch.setattr(stepping, "MOST_READS", 10)
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Practitioner"))
        rows = (allergy(f"a{number}", recorder={"reference": f"Practitioner/d{number}"}) for number in range(_ROWS))
        provider.answers[ALLERGIES] = http(body=bundle(*rows))

    def test_are_asked_for_no_more_often_than_those_that_are_there(self, linked, provider):
        run = sync(linked)
        asked = [request for request in provider.asked if "/Practitioner/" in request]
        assert len(asked) < _ROWS / 2  # what was under way when there were enough is one round at most
        assert (step(run, "Practitioner").gap, step(run, "Practitioner").pages) == (SyncStep.Gap.TOO_MUCH, 0)

    def test_are_put_down_as_far_as_they_are_read(self, linked, provider, monkeypatch):
        monkeypatch.setattr(running, "SLICE", timedelta(0))
        run = sync(linked)
        syncing.advance(run.pk, at=AT)
        assert PendingRead.objects.filter(run=run, logical_id__startswith="d").count() == 11

    def test_end_the_slice_like_those_that_are_there(self, linked, provider, monkeypatch):
        monkeypatch.setattr(running, "SLICE", timedelta(0))
        run = sync(linked)
        turns = []
        while not run.outcome:
            before = len(provider.asked)
            assert syncing.advance_next(at=AT)
            run.refresh_from_db()
            turns.append(len(provider.asked) - before)
        assert max(turns) < 10
        assert len(turns) < 15


class TestReferencesThatLeadToOthers:
    def test_are_followed_no_further_than_anybody_looks(self, linked, provider):
        """As of clinics each of which is a part of another."""
        ClientRegistration.objects.update(requests_per_minute=1000)
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Organization"))
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1", asserter={"reference": "Organization/o0"})))
        for number in range(9):
            above = {"partOf": {"reference": f"Organization/o{number + 1}"}}
            clinic = {"resourceType": "Organization", "id": f"o{number}", **above}
            provider.answers[f"GET /fhir/r4/Organization/o{number}"] = http(body=clinic)
        assert sync(linked).outcome == "complete"
        assert stored("Organization") == {f"o{number}" for number in range(stepping.MOST_DEPTH + 1)}


class TestReferencesThatAreNotAnswered:
    @pytest.fixture(autouse=True)
    def two(self, linked, provider):
        """Of two doctors, one is on a machine that is down; rows that did not change are not sent again."""
        ClientRegistration.objects.update(requests_per_minute=1000)
        offered = statement("Patient", "AllergyIntolerance", "Practitioner")
        offered["rest"][0]["resource"][1]["searchParam"] = [{"name": "_lastUpdated"}]
        provider.answers[METADATA] = http(body=offered)
        rows = (allergy(f"a{name}", recorder={"reference": f"Practitioner/{name}"}) for name in ("d1", "d2"))
        provider.answers[ALLERGIES] = http(body=bundle(*rows))
        provider.answers[f"{DOCTOR}d1"] = http(body={"resourceType": "Practitioner", "id": "d1"})
        provider.answers[f"{DOCTOR}d2"] = http(500)
        usual = provider.server.answer
        provider.server.answer = lambda request: (
            [http(body=bundle())] if "_lastUpdated" in request.target else usual(request)
        )

    @pytest.fixture
    def run(self, linked, two):
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            resume(run)
        return run

    def test_are_a_gap_that_costs_no_other(self, run):
        lacking = step(run, "Practitioner")
        assert (run.outcome, lacking.gap, stored("Practitioner")) == ("partial", SyncStep.Gap.UNAVAILABLE, {"d1"})

    def test_are_a_gap_though_the_turn_ends_before_the_others_are_read(self, linked, provider, two, monkeypatch):
        doctors = [f"d{number}" for number in range(_ROWS)]
        rows = (allergy(f"a{name}", recorder={"reference": f"Practitioner/{name}"}) for name in doctors)
        provider.answers[ALLERGIES] = http(body=bundle(*rows))
        provider.answers |= {f"{DOCTOR}{name}": http(500) for name in doctors}
        run = sync(linked)
        while run.pauses < len(syncing.PAUSES_SECONDS):
            resume(run)
        monkeypatch.setattr(running, "SLICE", timedelta(0))
        resume(run)
        provider.answers |= {f"{DOCTOR}{name}": http(404) for name in doctors}
        while not run.outcome:
            resume(run)
        assert (run.outcome, step(run, "Practitioner").gap) == ("partial", SyncStep.Gap.UNAVAILABLE)

    def test_are_few_where_nothing_is_said_to_any_of_them(self, linked, provider, two):
        doctors = [f"d{number}" for number in range(30)]
        rows = (allergy(f"a{name}", recorder={"reference": f"Practitioner/{name}"}) for name in doctors)
        provider.answers[ALLERGIES] = http(body=bundle(*rows))
        provider.answers |= {f"{DOCTOR}{name}": hung_up for name in doctors}
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            asked = len(provider.asked)
            resume(run)
        assert (run.outcome, step(run, "Practitioner").gap) == ("partial", SyncStep.Gap.UNAVAILABLE)
        assert len(provider.asked) - asked < 10
        provider.answers |= {f"{DOCTOR}{name}": http(404) for name in doctors}
        provider.answers[f"{DOCTOR}d29"] = http(body={"resourceType": "Practitioner", "id": "d29"})
        assert (check(linked, 1).outcome, stored("Practitioner")) == ("complete", {"d29"})

    def test_are_asked_for_by_the_next_checks_alone(self, linked, provider, run):
        for days in (1, 2):
            checked = check(linked, days)
            for _pause in syncing.PAUSES_SECONDS:
                resume(checked, at=AT + timedelta(days=days))
            assert (checked.is_full, checked.outcome) == (False, "partial")
            assert step(checked, "Practitioner").gap == SyncStep.Gap.UNAVAILABLE
        assert (len(provider.sent(ALLERGIES)), len(provider.sent(f"{DOCTOR}d1"))) == (1, 1)
        provider.answers[f"{DOCTOR}d2"] = http(body={"resourceType": "Practitioner", "id": "d2"})
        third = check(linked, 3)
        assert (third.is_full, third.outcome, stored("Practitioner")) == (False, "complete", {"d1", "d2"})
        assert not PendingRead.objects.exists()

    def test_are_asked_for_by_the_next_check_where_what_came_cannot_be_read(self, linked, provider, two):
        provider.answers[f"{DOCTOR}d2"] = http(body="<html>")
        assert sync(linked).outcome == "complete"
        provider.answers[f"{DOCTOR}d2"] = http(body={"resourceType": "Practitioner", "id": "d2"})
        assert (check(linked, 1).is_full, stored("Practitioner")) == (False, {"d1", "d2"})

    def test_are_not_forgotten_by_a_full_proof_in_which_the_rows_that_name_them_did_not_come(
        self, linked, provider, run
    ):
        rows, provider.answers[ALLERGIES] = provider.answers[ALLERGIES], http(400)
        assert check(linked, 8).is_full
        assert PendingRead.objects.filter(logical_id="d2", is_owed=True).exists()
        provider.answers |= {ALLERGIES: rows, f"{DOCTOR}d2": http(404)}
        assert (check(linked, 16).is_full, PendingRead.objects.exists()) == (True, False)

    def test_are_not_forgotten_by_a_run_that_came_to_no_plan(self, linked, run):
        broken = syncing.start(linked, cause=SyncRun.Cause.SCHEDULE, at=AT + timedelta(days=1))
        unanswered_references.hand_on(broken, [])
        assert PendingRead.objects.filter(logical_id="d2", is_owed=True).exists()

    def test_are_asked_for_once_where_two_runs_left_them(self, linked, provider, run):
        """As where two releases work side by side, of which the earlier one leaves them to each run."""
        another = syncing.start(linked, cause=SyncRun.Cause.SCHEDULE, at=AT + timedelta(hours=1))
        for left_by in (run, another):
            PendingRead.objects.get_or_create(
                run=left_by, resource_type="Practitioner", logical_id="d2", defaults={"is_owed": True}
            )
        SyncRun.objects.filter(pk=another.pk).update(finished_at=AT, outcome=SyncRun.Outcome.PARTIAL)
        provider.answers[f"{DOCTOR}d2"] = http(body={"resourceType": "Practitioner", "id": "d2"})
        asked = len(provider.sent(f"{DOCTOR}d2"))
        assert (check(linked, 1).outcome, stored("Practitioner")) == ("complete", {"d1", "d2"})
        assert (len(provider.sent(f"{DOCTOR}d2")) - asked, PendingRead.objects.count()) == (1, 0)

    def test_are_taken_over_by_a_run_that_named_them_already(self, linked, run):
        another = SyncRun.objects.create(
            connection=linked, user=linked.user, cause=SyncRun.Cause.SCHEDULE, created_at=AT, is_full=False
        )
        PendingRead.objects.create(run=another, resource_type="Practitioner", logical_id="d2")
        unanswered_references.take_over(another)
        assert [(one.run_id, one.is_owed, one.is_done) for one in PendingRead.objects.all()] == [
            (another.pk, True, False)
        ]

    def test_are_asked_for_again_though_an_earlier_copy_is_here(self, linked, provider, run):
        Record.objects.filter(logical_id="d1").update(logical_id="d2")  # from before
        provider.answers[f"{DOCTOR}d2"] = http(body={"resourceType": "Practitioner", "id": "d2", "active": True})
        assert (check(linked, 1).outcome, Record.objects.get(logical_id="d2").versions.count()) == ("complete", 1)


class TestAPatientThatIsNotFound:
    @pytest.mark.parametrize("status", [404, 410])
    def test_is_not_said_to_be_offered_to_nobody_where_it_was_here_before(self, linked, provider, status):
        sync(linked)
        provider.answers[PATIENT] = http(status)
        run = check(linked, 1)
        assert (run.outcome, step(run, "Patient").gap) == ("partial", "unavailable")
        assert step(run).status == "complete"

    def test_is_not_offered_where_it_never_was(self, linked, provider):
        provider.answers[PATIENT] = http(404)
        run = sync(linked)
        assert (run.outcome, step(run, "Patient").gap) == ("complete", "not_offered")
