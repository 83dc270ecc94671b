"""A server changes its FHIR version in place: what it has now is copied, and what it no longer has is marked as
such."""

from datetime import timedelta

import pytest

from apps.directory.models import ClientRegistration, Endpoint
from apps.records import ledger
from apps.records.exporting import stored as stored_rows
from apps.records.models import Record
from apps.records.syncing import watermarks
from apps.wire.dialects import FhirVersion
from tests.records.linked import AT, give_tokens
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import METADATA, statement
from tests.records.runs import resume, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

OF_PATIENT = f"?patient={PATIENT_ID}"
LATER = AT + watermarks.FULL_PROOF_EVERY
ORDER = {"resourceType": "MedicationOrder", "id": "m1", "medicationCodeableConcept": {"text": "Pterin"}}
REQUEST = {**ORDER, "resourceType": "MedicationRequest"}
ORDERED = f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"
REQUESTED = f"GET /fhir/r4/MedicationRequest{OF_PATIENT}"


@pytest.fixture
def changed_over(linked, provider):
    """It spoke DSTU2 when its record was copied, and states R4 now; the directory has not heard of it."""
    ClientRegistration.objects.update(requests_per_minute=1000)
    Endpoint.objects.update(fhir_version="dstu2")
    linked.refresh_from_db()
    before = statement("Patient", "AllergyIntolerance", "MedicationOrder")
    provider.answers[METADATA] = http(body={**before, "resourceType": "Conformance", "fhirVersion": "1.0.2"})
    provider.answers[f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"] = http(body=bundle(ORDER, total=1))
    assert sync(linked).outcome == "complete"
    provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "MedicationRequest"))
    provider.answers[f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"] = http(404)
    provider.answers[f"GET /fhir/r4/MedicationRequest{OF_PATIENT}"] = http(body=bundle(REQUEST, total=1))
    provider.answers[f"GET /fhir/r4/AllergyIntolerance{OF_PATIENT}"] = http(
        body=bundle(allergy("a1", clinicalStatus={"coding": [{"code": "active"}]}), total=1)
    )
    give_tokens(linked, issued_at=LATER)


@pytest.fixture
def spoken(provider):
    """Lets it speak that version, and state it."""

    def speak(version):
        if version == "r4":
            provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "MedicationRequest"))
        else:
            before = statement("Patient", "AllergyIntolerance", "MedicationOrder")
            provider.answers[METADATA] = http(body={**before, "resourceType": "Conformance", "fhirVersion": "1.0.2"})
        provider.answers[ORDERED] = http(404) if version == "r4" else http(body=bundle(ORDER, total=1))
        provider.answers[REQUESTED] = http(body=bundle(REQUEST, total=1)) if version == "r4" else http(404)

    return speak


def check(linked, days):
    """To its end, so many days after the first copy."""
    at = AT + timedelta(days=days)
    give_tokens(linked, issued_at=at)
    run = sync(linked, at=at)
    for _pause in range(4):
        if run.finished_at is None:
            resume(run, at=at)
    assert run.finished_at is not None
    return run


def medicines():
    """The types of those that are listed."""
    here = Record.objects.filter(removed_at__isnull=True, resource_type__startswith="Medication")
    return set(here.values_list("resource_type", flat=True))


def told(linked, run):
    return {str(line.subject): line for line in ledger.lines(linked, run, provider="Harbor")}


class TestAServerOfAnotherVersion:
    def test_is_asked_for_what_its_version_has(self, linked, changed_over):
        run = sync(linked, at=LATER)
        assert (run.outcome, stored("MedicationRequest"), stored("MedicationOrder")) == ("complete", {"m1"}, {"m1"})
        assert Record.objects.get(resource_type="AllergyIntolerance", logical_id="a1").versions.count() == 1
        assert step(run, "MedicationOrder").gap == "not_offered"
        assert told(linked, run)["Medicines"].word == "Complete"

    @pytest.mark.parametrize("refusal", [404, 400, 405])
    def test_has_no_more_what_its_version_does_not_know(self, linked, provider, changed_over, refusal):
        provider.answers[f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"] = http(refusal)
        sync(linked, at=LATER)
        (order,) = Record.objects.filter(resource_type="MedicationOrder")
        assert order.removed_at is not None

    def test_is_told_why_what_it_had_is_no_longer_listed(self, linked, provider, changed_over):
        for later in (LATER, LATER + timedelta(days=1)):
            give_tokens(linked, issued_at=later)
            run = sync(linked, at=later)
            sentence = told(linked, run)["Medicines"].sentence
            assert sentence.endswith("Harbor changed its system: 1 earlier entry is no longer listed.")

    def test_keeps_what_it_had_until_all_of_its_new_version_came(self, linked, provider, changed_over):
        provider.answers[f"GET /fhir/r4/MedicationRequest{OF_PATIENT}"] = http(500)
        run = sync(linked, at=LATER)
        for _pause in range(3):
            resume(run, at=LATER)
        assert run.outcome == "partial"
        assert Record.objects.get(resource_type="MedicationOrder").removed_at is None

    def test_has_its_medicines_once_though_something_else_does_not_come(self, linked, provider, changed_over):
        provider.answers[f"GET /fhir/r4/AllergyIntolerance{OF_PATIENT}"] = http(500)
        assert check(linked, 7).outcome == "partial"
        assert medicines() == {"MedicationRequest"}
        assert Record.objects.filter(resource_type="AllergyIntolerance", removed_at=None).count() == 2

    def test_is_asked_for_everything_once_more_though_a_proof_is_young(self, linked, changed_over):
        soon = AT + timedelta(days=1)
        give_tokens(linked, issued_at=soon)
        first, second = sync(linked, at=soon), sync(linked, at=soon + timedelta(minutes=30))
        assert (first.is_full, second.is_full) == (True, False)

    @pytest.mark.parametrize("days", [1, 8])
    def test_that_changes_back_has_what_it_had_and_no_more_what_it_had_meanwhile(
        self, linked, provider, changed_over, days
    ):
        give_tokens(linked, issued_at=AT + timedelta(days=days))
        assert sync(linked, at=AT + timedelta(days=days)).stated_version == "r4"
        before = statement("Patient", "AllergyIntolerance", "MedicationOrder")
        provider.answers[METADATA] = http(body={**before, "resourceType": "Conformance", "fhirVersion": "1.0.2"})
        ordered = f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"
        provider.answers[ordered] = http(body=bundle(ORDER, total=1))
        provider.answers[f"GET /fhir/r4/MedicationRequest{OF_PATIENT}"] = http(404)
        later = AT + timedelta(days=days + 2)
        give_tokens(linked, issued_at=later)
        run = sync(linked, at=later)
        assert run.is_full
        there = Record.objects.filter(removed_at__isnull=True, resource_type__startswith="Medication")
        assert set(there.values_list("resource_type", flat=True)) == {"MedicationOrder"}
        assert told(linked, run)["Medicines"].sentence.startswith("1 entry.")

    def test_that_changed_back_is_told_why_what_it_had_meanwhile_is_no_longer_listed(
        self, linked, provider, changed_over, spoken
    ):
        for days, version in ((1, "r4"), (3, "dstu2"), (4, "dstu2")):
            spoken(version)
            run = check(linked, days)
            sentence = told(linked, run)["Medicines"].sentence
            assert sentence.endswith("Harbor changed its system: 1 earlier entry is no longer listed.")

    def test_is_told_to_have_taken_away_no_more_than_went_with_its_change(self, linked, provider, changed_over):
        """One order was deleted before, as anything may be."""
        before = Record.objects.get(resource_type="MedicationOrder")
        gone = Record.objects.create(
            user=linked.user, connection=linked, resource_type="MedicationOrder", logical_id="m0", sealed_body=b"",
            digest=b"", first_received_at=AT, received_at=AT, confirmed_at=AT, removed_at=AT,
        )  # fmt: skip
        run = sync(linked, at=LATER)
        assert Record.objects.filter(pk__in=[before.pk, gone.pk], removed_at=None).count() == 0
        assert told(linked, run)["Medicines"].sentence.endswith("1 earlier entry is no longer listed.")

    def test_is_told_why_though_nothing_of_its_new_version_comes_for_a_day(self, linked, provider, changed_over):
        sync(linked, at=LATER)
        provider.answers[REQUESTED] = http(500)
        run = check(linked, 8)
        assert told(linked, run)["Medicines"].sentence.endswith("1 earlier entry is no longer listed.")

    def test_is_asked_for_answers_of_either_version(self, linked, provider, changed_over):
        Endpoint.objects.update(dialect="smart")
        linked.refresh_from_db()
        provider.server.requests.clear()
        sync(linked, at=LATER)
        accepted = [
            request.headers["accept"] for request in provider.sent(f"GET /fhir/r4/MedicationRequest{OF_PATIENT}")
        ]
        assert accepted == ["application/fhir+json, application/json+fhir"]

    def test_is_exported_as_what_it_is(self, linked, changed_over):
        assert stored_rows.sources({1: linked})[linked.pk].version is FhirVersion.DSTU2
        sync(linked, at=LATER)
        assert stored_rows.sources({1: linked})[linked.pk].version is FhirVersion.R4

    def test_is_exported_as_what_it_was_last_shown_to_be(self, linked, provider, changed_over):
        sync(linked, at=LATER)
        provider.answers[REQUESTED] = http(500)
        assert step(check(linked, 8), "MedicationRequest").gap == "unavailable"
        assert stored_rows.sources({1: linked})[linked.pk].version is FhirVersion.R4

    def test_is_exported_as_what_it_was_once_it_changed_back(self, linked, changed_over, spoken):
        for days, version in ((1, "r4"), (3, "dstu2")):
            spoken(version)
            check(linked, days)
        assert stored_rows.sources({1: linked})[linked.pk].version is FhirVersion.DSTU2

    def test_loses_also_what_only_its_old_statement_named_two_days_later(self, linked, provider, changed_over):
        """Nothing came in its place."""
        Record.objects.filter(resource_type="MedicationOrder").update(resource_type="DiagnosticOrder")
        gaps = [step(check(linked, 7 + days), "DiagnosticOrder").gap for days in range(3)]
        assert gaps == ["unseen", "unseen", "not_offered"]
        assert Record.objects.get(resource_type="DiagnosticOrder").removed_at is not None

    def test_loses_nothing_that_its_new_version_brought_and_its_statement_forgot(self, linked, provider, changed_over):
        offered = statement("Patient", "AllergyIntolerance", "MedicationRequest", "NutritionOrder")
        offered["rest"][0]["resource"][-1]["searchParam"] = [{"name": "patient"}]
        plans, shorter = http(body=offered), provider.answers[METADATA]
        row = {"resourceType": "NutritionOrder", "id": "n1"}
        provider.answers[f"GET /fhir/r4/NutritionOrder{OF_PATIENT}"] = http(body=bundle(row, total=1))
        for days, answer in ((7, plans), (8, shorter), (11, shorter)):
            provider.answers[METADATA] = answer
            check(linked, days)
        assert Record.objects.get(resource_type="NutritionOrder").removed_at is None

    def test_is_asked_for_what_it_had_where_only_its_statement_is_another_ones(self, linked, provider, changed_over):
        provider.answers[f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"] = http(body=bundle(ORDER, total=1))
        provider.answers[f"GET /fhir/r4/MedicationRequest{OF_PATIENT}"] = http(404)
        run = sync(linked, at=LATER)
        assert (step(run, "MedicationOrder").status, step(run, "MedicationOrder").rows_kept) == ("complete", 1)
        assert Record.objects.get(resource_type="MedicationOrder").removed_at is None
        assert stored_rows.sources({1: linked})[linked.pk].version is FhirVersion.DSTU2
        assert told(linked, run)["Medicines"].word == "Complete"

    def test_is_not_said_to_have_changed_where_only_its_statement_is_another_ones(self, linked, provider, changed_over):
        other = http(body=bundle({**ORDER, "id": "m2"}, total=1))
        provider.answers[f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"] = other
        provider.answers[f"GET /fhir/r4/MedicationRequest{OF_PATIENT}"] = http(404)
        run = sync(linked, at=LATER)
        assert Record.objects.get(logical_id="m1").removed_at is not None
        assert "changed its system" not in told(linked, run)["Medicines"].sentence


class TestAStatementThatComesAndGoes:
    """As of two machines that answer by turns."""

    def test_makes_no_check_ask_for_everything_once_it_is_known_to(self, linked, changed_over, spoken):
        full = []
        for days in range(1, 14):
            spoken("r4" if days % 2 else "dstu2")
            full += [days] if check(linked, days).is_full else []
        assert full == [1, 2, 9]

    @pytest.mark.parametrize("days", [6, 7])
    def test_takes_no_medicine_off_the_list_without_its_successor(self, linked, changed_over, spoken, days):
        for day in range(1, days):
            spoken("r4" if day % 2 else "dstu2")
            check(linked, day)
            assert medicines()

    def test_is_believed_when_it_stays(self, linked, changed_over, spoken):
        for day in range(1, 6):
            spoken("r4" if day % 2 else "dstu2")
            check(linked, day)
        full = [check(linked, day).is_full for day in range(6, 14)]
        assert full.count(True) == 1
        assert medicines() == {"MedicationRequest"}


class TestAServerOfAnotherVersionThatBringsNothing:
    """In place of what it had: its index may be in the making."""

    @pytest.fixture(autouse=True)
    def empty(self, linked, provider, changed_over):
        provider.answers[REQUESTED] = http(body=bundle(total=0))

    def test_takes_nothing_away_and_is_told(self, linked):
        run = check(linked, 1)
        assert (step(run, "MedicationOrder").gap, run.outcome) == ("unseen", "partial")
        assert medicines() == {"MedicationOrder"}
        line = told(linked, run)["Medicines"]
        assert line.word == "Not sent this time"
        assert line.sentence.startswith("Harbor sent none of these in our last check, on November 21, 2026.")
        assert stored_rows.sources({1: linked})[linked.pk].version is FhirVersion.R4

    def test_is_believed_two_days_later(self, linked):
        assert [(check(linked, days), medicines())[1] for days in (1, 2, 3)] == [{"MedicationOrder"}] * 2 + [set()]

    def test_is_believed_when_they_come(self, linked, provider):
        check(linked, 1)
        provider.answers[REQUESTED] = http(body=bundle(REQUEST, total=1))
        for days in (2, 3):
            run = check(linked, days)
        assert (medicines(), run.outcome) == ({"MedicationRequest"}, "complete")
