"""A server that changes over to another FHIR version where it stands: what it has there now is copied, and what it
has no more is said so."""

import pytest

from apps.directory.models import ClientRegistration, Endpoint
from apps.records import ledger
from apps.records.models import Record
from apps.records.syncing import watermarks
from tests.records.linked import AT, give_tokens
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import METADATA, statement
from tests.records.runs import step, stored, sync
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

    def test_is_asked_for_what_it_had_where_only_its_statement_is_another_ones(self, linked, provider, changed_over):
        provider.answers[f"GET /fhir/r4/MedicationOrder{OF_PATIENT}"] = http(body=bundle(ORDER, total=1))
        provider.answers[f"GET /fhir/r4/MedicationRequest{OF_PATIENT}"] = http(404)
        run = sync(linked, at=LATER)
        assert (step(run, "MedicationOrder").status, step(run, "MedicationOrder").rows_kept) == ("complete", 1)
        assert told(linked, run)["Medicines"].word == "Complete"
