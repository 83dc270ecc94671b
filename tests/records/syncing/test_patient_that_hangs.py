"""A read of the Patient is never answered: searches begin at once, and the copy does not stay open for it long."""

from datetime import timedelta

import pytest

from apps.directory.models import ClientRegistration
from apps.records.models import Shelf, SyncRun
from apps.records.syncing import running
from apps.records.syncing.workers import backoff
from tests.records.linked import AT
from tests.records.people import PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, hung_up, statement
from tests.records.runs import resume, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

PAGE = "GET /fhir/r4/AllergyIntolerance?page="
DOCTOR = {"resourceType": "Practitioner", "id": "d1", "name": [{"text": "Dr. Orla"}]}


@pytest.fixture(autouse=True)
def elsewhere(linked, provider):
    """Everything else is answered."""
    ClientRegistration.objects.update(requests_per_minute=1000)
    provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Practitioner"))
    rows = [allergy("a1", recorder={"reference": "Practitioner/d1"}), allergy("a2")]
    provider.answers[ALLERGIES] = http(body=bundle(*rows, total=2))
    provider.answers["GET /fhir/r4/Practitioner/d1"] = http(body=DOCTOR)
    provider.answers[PATIENT] = hung_up


class TestAPatientThatHangs:
    def test_keeps_back_no_row(self, linked, provider):
        run = sync(linked)
        assert (stored(), step(run).status) == ({"a1", "a2"}, "complete")
        assert Shelf.objects.filter(connection=linked, subject="allergies").exists()
        assert (run.finished_at, step(run, "Patient").status) == (None, "getting")

    def test_is_come_back_to_with_whom_it_names(self, linked, provider):
        run = sync(linked)
        provider.answers[PATIENT] = http(body=R4_PATIENT)
        provider.answers["GET /fhir/r4/Practitioner/9"] = http(body={**DOCTOR, "id": "9"})
        resume(run, at=AT + timedelta(minutes=2))
        assert (run.outcome, stored("Patient"), stored("Practitioner")) == ("complete", {PATIENT_ID}, {"d1", "9"})
        assert len(provider.sent(ALLERGIES)) == 1

    def test_keeps_the_copy_open_for_minutes_alone(self, linked, provider):
        run = sync(linked)
        for _pause in range(backoff.PAUSES_FOR_ONE):
            assert run.finished_at is None
            resume(run)
        assert (run.outcome, step(run, "Patient").gap) == ("partial", "unavailable")
        assert stored("Practitioner") == {"d1"}
        assert sum(backoff.PAUSES_SECONDS[: backoff.PAUSES_FOR_ONE]) <= 600
        linked.refresh_from_db()
        assert linked.status == "active"

    def test_is_waited_for_once_before_the_pages_of_a_long_record(self, linked, provider, monkeypatch):
        monkeypatch.setattr(running, "SLICE", timedelta(0))  # as after the half minute that nobody answered
        for number, address in enumerate([ALLERGIES, *(f"{PAGE}{number}" for number in range(2, 6))], start=1):
            following = provider.next_url(number + 1) if number < 5 else None
            provider.answers[address] = http(body=bundle(allergy(f"a{number}"), total=5, next_url=following))
        run = sync(linked)
        for _turn in range(4):
            resume(run)
        assert (len(stored()), len(provider.sent(PATIENT))) == (5, 1)

    def test_is_asked_for_as_long_as_anything_else_is_missing(self, linked, provider):
        provider.answers[ALLERGIES] = hung_up
        run = sync(linked)
        for _pause in range(backoff.PAUSES_FOR_ONE):
            resume(run)
        provider.answers |= {PATIENT: http(body=R4_PATIENT), ALLERGIES: http(body=bundle(allergy("a1"), total=1))}
        resume(run)
        assert (run.outcome, stored("Patient"), stored()) == (SyncRun.Outcome.COMPLETE, {PATIENT_ID}, {"a1"})
