"""What a run brought is put on shelves once, with the names that come later."""

import pytest

from apps.directory.models import ClientRegistration
from apps.records import shelving, syncing
from apps.records.models import Shelf, SyncRun
from apps.records.syncing import running, watermarks
from tests.records.linked import AT
from tests.records.people import PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, SWEEP, no_results, statement
from tests.records.runs import check, resume, shelved, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

FHIR = "GET /fhir/r4/"
GOALS = f"{FHIR}Goal?patient={PATIENT_ID}"
DOCTOR = f"{FHIR}Practitioner/d1"
DEVICES = f"{FHIR}Device?patient={PATIENT_ID}"
ORDERS = f"{FHIR}MedicationRequest?patient={PATIENT_ID}"
MEDICINE = f"{FHIR}Medication/m1"
HOUR_BEFORE = (AT - watermarks.OVERLAP).strftime("%Y-%m-%dT%H%%3A%M%%3A%SZ")
SINCE, GOALS_SINCE = (f"{asked}&_lastUpdated=ge{HOUR_BEFORE}" for asked in (ORDERS, GOALS))
NAMED = {"status": "final", "code": {"text": "Sodium"}, "valueQuantity": {"value": 140, "unit": "mmol/L"}}


@pytest.fixture
def built(monkeypatch):
    """The subjects that were built at each time, by their keys."""
    times = []
    rebuild = shelving.rebuild

    def noted(connection, *subjects, at):
        times.append({subject.key for subject in subjects})
        return rebuild(connection, *subjects, at=at)

    monkeypatch.setattr(shelving, "rebuild", noted)
    return times


@pytest.fixture
def practice(linked, provider):
    """An allergy that names a doctor, and a goal that names nobody."""
    types = ("Patient", "AllergyIntolerance", "Goal", "Practitioner", "Organization")
    provider.answers[METADATA] = http(body=statement(*types))
    ClientRegistration.objects.update(requests_per_minute=1000)
    provider.answers[ALLERGIES] = http(body=bundle(allergy("a1", recorder={"reference": "Practitioner/d1"})))
    provider.answers[GOALS] = http(body=bundle({"resourceType": "Goal", "id": "g1"}))
    provider.answers[DOCTOR] = http(body={"resourceType": "Practitioner", "id": "d1"})
    return provider


class TestNames:
    def test_that_come_later_build_the_shelves_of_those_who_name_them_and_no_others(self, linked, practice, built):
        practice.answers[DOCTOR] = http(503)
        run = sync(linked)
        assert [times >= {"allergies", "plans"} for times in built] == [True]
        practice.answers[DOCTOR] = http(body={"resourceType": "Practitioner", "id": "d1"})
        resume(run)
        assert run.outcome == "complete"
        assert "allergies" in built[1]
        assert "plans" not in built[1]
        assert len(built) == 2

    def test_that_came_along_with_other_rows_do_so_too(self, linked, practice, built):
        practice.answers[GOALS] = http(503)
        run = sync(linked)
        doctor = {"resourceType": "Practitioner", "id": "d1"}
        practice.answers[GOALS] = http(body=bundle({"resourceType": "Goal", "id": "g1"}, doctor))
        resume(run)
        assert practice.sent(DOCTOR) == []
        assert {"allergies", "plans"} <= built[-1]

    @pytest.fixture
    def ordered(self, linked, practice):
        """A prescription whose medicine is told elsewhere, at a server that tells what has changed."""
        says = statement("Patient", "MedicationRequest", "Medication", "Goal")
        for offered in says["rest"][0]["resource"]:
            offered["searchParam"] = [{"name": "patient"}, {"name": "_lastUpdated"}]
        practice.answers[METADATA] = http(body=says)
        medicine = {"medicationReference": {"reference": "Medication/m1"}}
        order = {"resourceType": "MedicationRequest", "id": "r1", "status": "active", "intent": "order", **medicine}
        practice.answers[ORDERS] = http(body=bundle(order))
        practice.answers[SINCE] = practice.answers[GOALS_SINCE] = http(body=bundle())
        practice.answers[MEDICINE] = http(503)
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            resume(run)
        practice.answers[MEDICINE] = http(body={"resourceType": "Medication", "id": "m1", "code": {"text": "Foxglove"}})
        return practice

    def test_that_come_only_in_a_later_run_stand_beside_rows_that_did_not_change(self, linked, ordered):
        before = [entry.title for entry in shelved(linked, "medicines")]
        check(linked, 1)
        assert ordered.sent(SINCE)
        assert before == [""]
        assert [entry.title for entry in shelved(linked, "medicines")] == ["Foxglove"]

    def test_of_devices_stand_beside_rows_that_did_not_change(self, linked, practice):
        result = {"resourceType": "Observation", "id": "o1", "device": {"reference": "Device/v1"}, **NAMED}
        practice.answers[METADATA] = http(body=statement("Patient", "Observation", "Device"))
        practice.answers |= no_results() | {SWEEP + "laboratory": http(body=bundle(result))}
        device = {"resourceType": "Device", "id": "v1", "type": {"text": "Old meter"}}
        practice.answers[DEVICES] = http(body=bundle(device))
        sync(linked)
        before = shelved(linked, "results")
        practice.answers[DEVICES] = http(body=bundle(device | {"type": {"text": "New meter"}}))
        check(linked, 1)
        assert "Old meter" in str(before)
        assert "New meter" in str(shelved(linked, "results"))

    def test_that_nobody_listed_refers_to_are_not_left_for_the_next_run(self, linked, practice):
        practice.answers[ALLERGIES] = http(body=bundle(allergy("a1")))
        sync(linked)
        doctor = {"resourceType": "Practitioner", "id": "d1"}
        practice.answers[GOALS] = http(body=bundle({"resourceType": "Goal", "id": "g1"}, doctor))
        run = check(linked, 1)
        assert stored("Practitioner") == {"d1"}
        assert not run.steps.filter(needs_shelf=True).exists()

    def test_that_are_as_before_build_nothing(self, linked, practice, built):
        sync(linked)
        built.clear()
        run = sync(linked)
        assert (run.outcome, built) == ("complete", [])


class TestRowsThatComeAlong:
    """With the search of another type, before or after their own."""

    def goal(self, words):
        return {"resourceType": "Goal", "id": "g1", "description": {"text": words}}

    def titles(self, connection, subject):
        return [entry.title for entry in shelved(connection, subject)]

    def test_stand_on_their_own_shelf_where_their_search_brings_nothing_else(self, linked, practice):
        sync(linked)
        changed = self.goal("Walk each day")
        practice.answers[ALLERGIES] = http(body=bundle(allergy("a1"), changed))
        practice.answers[GOALS] = http(body=bundle(changed))
        run = check(linked, 1)
        assert self.titles(linked, "plans") == ["Walk each day"]
        assert (step(run, "Goal").rows_changed, step(run).rows_changed) == (1, 1)

    def test_are_no_change_of_the_type_they_came_with(self, linked, practice):
        sync(linked)
        named = allergy("a1", recorder={"reference": "Practitioner/d1"})
        practice.answers[ALLERGIES] = http(body=bundle(named, self.goal("Walk each day")))
        practice.answers[GOALS] = http(body=bundle(self.goal("Walk each day")))
        run = check(linked, 1)
        assert (step(run, "Goal").rows_changed, step(run).rows_changed) == (1, 0)

    def test_stand_there_where_their_type_was_refused(self, linked, practice):
        sync(linked)
        practice.answers[GOALS] = http(403)
        practice.answers[ALLERGIES] = http(body=bundle(allergy("a1"), self.goal("Walk each day")))
        check(linked, 1)
        assert self.titles(linked, "plans") == ["Walk each day"]

    def test_stand_there_where_their_type_was_never_asked_for(self, linked, practice):
        sync(linked)
        told = {"resourceType": "Communication", "id": "c1", "category": [{"text": "A word from the ward"}]}
        practice.answers[ALLERGIES] = http(body=bundle(allergy("a1"), told))
        run = check(linked, 1)
        assert len(shelved(linked, "other")) == 1
        assert (step(run, "Communication").gap, run.outcome) == ("not_offered", "complete")


class TestABirthDate:
    """It dates what began at an age."""

    @pytest.fixture
    def aged(self, linked, practice):
        practice.answers[ALLERGIES] = http(body=bundle(allergy("a1", onsetAge={"value": 9, "unit": "a"})))
        return practice

    def began(self, connection):
        return [entry.when.sorts_at[:4] for entry in shelved(connection, "allergies")]

    def test_that_is_corrected_dates_it_anew(self, linked, aged):
        sync(linked)
        aged.answers[PATIENT] = http(body=R4_PATIENT | {"birthDate": "1974-03-09"})
        before = self.began(linked)
        check(linked, 1)
        assert (before, self.began(linked)) == (["1993"], ["1983"])

    def test_that_comes_after_it_dates_it_as_well(self, linked, aged):
        aged.answers[PATIENT] = http(503)
        run = sync(linked)
        aged.answers[PATIENT] = http(body=R4_PATIENT)
        before = self.began(linked)
        resume(run)
        assert (before, self.began(linked)) == ([""], ["1993"])

    def test_that_is_as_before_builds_nothing_else(self, linked, aged):
        sync(linked)
        shelf = Shelf.objects.get(connection=linked, subject="allergies")
        aged.answers[PATIENT] = http(body=R4_PATIENT | {"gender": "male"})
        check(linked, 1)
        assert Shelf.objects.get(pk=shelf.pk).built_at == shelf.built_at


class TestAMistakeOfOurs:
    """What came before an error nobody foresaw is shown all the same."""

    @pytest.fixture
    def mistaken(self, linked, practice, monkeypatch):
        """A run that breaks when all searches were made, and before any is taken to have ended by pauses."""
        run_steps = running._run_steps

        def broken(work, steps, **_how):
            run_steps(work, steps, gives_up=False)
            if len(steps) > 1:
                raise RuntimeError("a mistake of ours")

        monkeypatch.setattr(running, "_run_steps", broken)
        return syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)

    def test_hides_nothing_that_had_come(self, mistaken, built):
        with pytest.raises(RuntimeError):
            syncing.advance(mistaken.pk, at=AT)
        assert [times >= {"allergies", "plans"} for times in built] == [True]
        assert not mistaken.steps.filter(needs_shelf=True).exists()

    def test_hides_nothing_where_the_run_is_given_up(self, mistaken, practice, built):
        practice.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=practice.next_url(2)))
        practice.answers[f"{FHIR}AllergyIntolerance?page=2"] = http(503)
        SyncRun.objects.update(pauses=len(syncing.PAUSES_SECONDS))
        with pytest.raises(RuntimeError):
            syncing.advance(mistaken.pk, at=AT)
        assert SyncRun.objects.get().outcome == "partial"
        assert (step(mistaken).status, step(mistaken).gap) == ("gap", "unreadable")
        assert "allergies" in built[-1]

    def test_is_told_itself_where_the_shelves_break_as_well(self, mistaken, monkeypatch, caplog):
        def broken(*_given, **_options):
            raise ValueError("canary")

        monkeypatch.setattr(shelving, "rebuild", broken)
        with pytest.raises(RuntimeError):
            syncing.advance(mistaken.pk, at=AT)
        assert SyncRun.objects.get().pauses == 1
        assert "is not on shelves" in caplog.text
        assert "canary" not in caplog.text


class TestAPart:
    def test_of_what_a_provider_counts_is_shown_where_the_rest_never_comes(self, linked, provider, built):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers[f"{FHIR}AllergyIntolerance?page=2"] = http(503)
        run = sync(linked)
        for _pause in syncing.PAUSES_SECONDS:
            resume(run)
        assert (run.outcome, step(run).gap) == ("partial", "unavailable")
        assert "allergies" in built[-1]
        assert not run.steps.filter(needs_shelf=True).exists()
