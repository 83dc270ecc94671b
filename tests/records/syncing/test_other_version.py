"""A server that changes over to another FHIR version where it stands: what it has there now is copied, and what it
has no more is said so."""

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
        assert stored_rows.source(linked, number=1).version is FhirVersion.DSTU2
        sync(linked, at=LATER)
        assert stored_rows.source(linked, number=1).version is FhirVersion.R4

    def test_loses_also_what_only_its_old_statement_named(self, linked, provider, changed_over):
        Record.objects.filter(resource_type="MedicationOrder").update(resource_type="DiagnosticOrder")
        run = sync(linked, at=LATER)
        assert step(run, "DiagnosticOrder").gap == "not_offered"
        assert Record.objects.get(resource_type="DiagnosticOrder").removed_at is not None

    def test_is_asked_for_what_it_had_where_only_its_statement_is_another_ones(self, linked, provider, changed_over):
        provider.answers[f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"] = http(body=bundle(ORDER, total=1))
        provider.answers[f"GET /fhir/r4/MedicationRequest{OF_PATIENT}"] = http(404)
        run = sync(linked, at=LATER)
        assert (step(run, "MedicationOrder").status, step(run, "MedicationOrder").rows_kept) == ("complete", 1)
        assert Record.objects.get(resource_type="MedicationOrder").removed_at is None
        assert stored_rows.source(linked, number=1).version is FhirVersion.DSTU2
        assert told(linked, run)["Medicines"].word == "Complete"

    def test_is_not_said_to_have_changed_where_only_its_statement_is_another_ones(self, linked, provider, changed_over):
        other = http(body=bundle({**ORDER, "id": "m2"}, total=1))
        provider.answers[f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"] = other
        provider.answers[f"GET /fhir/r4/MedicationRequest{OF_PATIENT}"] = http(404)
        run = sync(linked, at=LATER)
        assert Record.objects.get(logical_id="m1").removed_at is not None
        assert "changed its system" not in told(linked, run)["Medicines"].sentence
