"""A read of the Patient that returns somebody else is quarantined, and staff are told, as for any row that names
another patient."""

import pytest

from apps.audit.models import AuditEvent
from apps.audit.recording import EventType
from apps.directory.models import ClientRegistration
from apps.records.models import QuarantinedRow, SyncStep
from tests.records.people import PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, statement
from tests.records.runs import step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def elsewhere(linked, provider):
    """Everything else is answered."""
    ClientRegistration.objects.update(requests_per_minute=1000)
    provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance"))
    provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=1))


class TestAPatientThatIsSomebodyElse:
    def test_is_set_apart_with_an_alarm_and_named_as_what_it_is(self, linked, provider):
        provider.answers[PATIENT] = http(body={**R4_PATIENT, "id": "somebody-else"})
        run = sync(linked)
        assert (run.outcome, stored(), stored("Patient")) == ("partial", {"a1"}, set())
        assert step(run, "Patient").gap == SyncStep.Gap.OTHER_PATIENT
        assert QuarantinedRow.objects.get(run=run).resource_type == "Patient"
        assert AuditEvent.objects.filter(event=EventType.RECORD_REFUSED, subject_id=str(linked.pk)).count() == 1

    def test_takes_nothing_away_of_what_was_there(self, linked, provider):
        provider.answers[PATIENT] = http(body=R4_PATIENT)
        sync(linked)
        provider.answers[PATIENT] = http(body={**R4_PATIENT, "id": "somebody-else"})
        sync(linked)
        assert stored("Patient") == {PATIENT_ID}
