"""What rows refer to is read by its id: another resource, or one about somebody else, may come back."""

import pytest

from apps.audit.models import AuditEvent
from apps.audit.recording import EventType
from apps.directory.models import ClientRegistration
from apps.records import ledger
from apps.records.models import PendingRead, QuarantinedRow, Record, SyncStep
from tests.records.people import PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, statement
from tests.records.runs import check, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

MEDICINE = "GET /fhir/r4/Medication/m1"
OURS = {"resourceType": "Medication", "id": "m1", "code": {"text": "Amoxicillin"}}
ANOTHER = {"resourceType": "Medication", "id": "m2", "code": {"text": "Insulin"}}
STRANGER = {"subject": {"reference": "Patient/p-9999"}}


@pytest.fixture(autouse=True)
def named(linked, provider):
    """One row names a medicine; rows that did not change are not sent again."""
    ClientRegistration.objects.update(requests_per_minute=1000)
    offered = statement("Patient", "AllergyIntolerance", "Medication")
    offered["rest"][0]["resource"][1]["searchParam"] = [{"name": "_lastUpdated"}]
    provider.answers[METADATA] = http(body=offered)
    row = allergy("a1", reaction=[{"substance": {"reference": "Medication/m1"}}])
    provider.answers[ALLERGIES] = http(body=bundle(row, total=1))
    provider.answers[MEDICINE] = http(body=OURS)
    usual = provider.server.answer
    provider.server.answer = lambda request: (
        [http(body=bundle())] if "_lastUpdated" in request.target else usual(request)
    )


def alarms(linked):
    return AuditEvent.objects.filter(event=EventType.RECORD_REFUSED, subject_id=str(linked.pk)).count()


SOMEBODY_ELSES = pytest.mark.parametrize(
    "answer",
    [
        {**ANOTHER, **STRANGER},
        {**OURS, **STRANGER},
        {**R4_PATIENT, "id": "p-9999"},
        {"resourceType": "Observation", "id": "o1", **STRANGER},
    ],
    ids=["another id", "the id", "a patient", "another type"],
)


class TestAReferenceAnsweredWithSomebodyElses:
    @pytest.mark.conformance("C63")
    @SOMEBODY_ELSES
    def test_is_missing_and_what_came_is_set_apart_with_an_alarm(self, linked, provider, answer):
        provider.answers[MEDICINE] = http(body=answer)
        run = sync(linked)
        read = step(run, "Medication")
        assert (run.outcome, read.gap, read.rows_missing, read.rows_refused) == (
            "partial", SyncStep.Gap.OTHER_PATIENT, 1, 1,
        )  # fmt: skip
        assert set(Record.objects.values_list("logical_id", flat=True)) == {"a1", PATIENT_ID}
        kept = QuarantinedRow.objects.get(run=run)
        assert (kept.resource_type, alarms(linked)) == (answer["resourceType"], 1)

    @SOMEBODY_ELSES
    def test_is_asked_for_again_by_the_next_check(self, linked, provider, answer):
        provider.answers[MEDICINE] = http(body=answer)
        sync(linked)
        provider.answers[MEDICINE] = http(body=OURS)
        run = check(linked, 1)
        assert (run.is_full, run.outcome, stored("Medication")) == (False, "complete", {"m1"})
        assert not PendingRead.objects.exists()

    @SOMEBODY_ELSES
    def test_takes_nothing_away_of_what_was_there(self, linked, provider, answer):
        sync(linked)
        provider.answers[MEDICINE] = http(body=answer)
        run = check(linked, 8)
        held = Record.objects.get(resource_type="Medication")
        assert (run.is_full, held.logical_id, held.removed_at, held.versions.count()) == (True, "m1", None, 0)

    def test_is_named_beside_the_record(self, linked, provider):
        provider.answers[MEDICINE] = http(body={**ANOTHER, **STRANGER})
        run = sync(linked)
        told = [line for line in ledger.lines(linked, run, provider="Harbor") if "not yours" in line.sentence]
        assert [line.sentence.partition(":")[0] for line in told] == ["1 entry was not yours"]


class TestAReferenceAnsweredWithAnother:
    @pytest.mark.parametrize("answer", [ANOTHER, {"resourceType": "Observation", "id": "o1", "status": "final"}])
    def test_that_names_nobody_is_missing_and_asked_for_again_and_what_came_is_left_out(self, linked, provider, answer):
        provider.answers[MEDICINE] = http(body=answer)
        run = sync(linked)
        read = step(run, "Medication")
        assert (run.outcome, read.rows_missing, read.rows_refused, alarms(linked)) == ("complete", 1, 0, 0)
        assert set(Record.objects.values_list("logical_id", flat=True)) == {"a1", PATIENT_ID}
        provider.answers[MEDICINE] = http(body=OURS)
        check(linked, 1)
        assert stored("Medication") == {"m1"}

    def test_costs_nothing_of_the_other_where_a_row_names_that(self, linked, provider):
        row = allergy("a1", reaction=[{"substance": {"reference": f"Medication/m{number}"}} for number in (1, 2)])
        provider.answers |= {ALLERGIES: http(body=bundle(row)), MEDICINE: http(body=ANOTHER)}
        provider.answers["GET /fhir/r4/Medication/m2"] = http(body=ANOTHER)
        sync(linked)
        assert stored("Medication") == {"m2"}


class TestAPatientAnsweredWithAnother:
    def test_that_names_nobody_is_unreadable_and_what_came_is_left_out(self, linked, provider):
        provider.answers[PATIENT] = http(body=ANOTHER)
        run = sync(linked)
        assert (step(run, "Patient").gap, stored("Medication")) == (SyncStep.Gap.UNREADABLE, {"m1"})
        assert alarms(linked) == 0

    def test_that_is_about_somebody_else_is_set_apart(self, linked, provider):
        provider.answers[PATIENT] = http(body={**ANOTHER, **STRANGER})
        run = sync(linked)
        assert (step(run, "Patient").gap, stored("Medication")) == (SyncStep.Gap.OTHER_PATIENT, {"m1"})
        assert (QuarantinedRow.objects.get(run=run).resource_type, alarms(linked)) == ("Medication", 1)
