"""What else came with the tokens, besides whose record it is."""

import pytest

from apps.connections.grants import launch_context
from apps.connections.grants.launch_context import LaunchContext, SignedIn
from apps.connections.models import Connection
from tests.connections.deployments import RIVERSIDE
from tests.connections.test_launched_deployments import leave, start
from tests.faults.practice import Visit
from tests.faults.travelling import within_the_site

pytestmark = pytest.mark.django_db


class TestTheVisitThatWasOpen:
    @pytest.mark.conformance("C37")
    @pytest.mark.parametrize("is_told", [True, False])
    def test_is_kept_sealed_where_it_is_told(self, deploy, patient, sandbox, is_told):
        """Told or not, the record is found."""
        place = deploy(provider=RIVERSIDE, switches={} if is_told else {"launch_encounter": "never"})
        ruth = next(one for one in sandbox.get("/control/accounts")["accounts"] if one["username"] == "ruth")
        patient_id = ruth["patients"]["r4"][0]
        visits = sandbox.get(f"/b/open/r4/{place.endpoint.tenant}/Encounter?patient={patient_id}")
        visit_id = visits["entry"][0]["resource"]["id"]
        address, _launch = start(place, patient_id=patient_id, encounter_id=visit_id)
        page = patient.get(within_the_site(Visit().answer(leave(patient, address))))
        assert "Is this the right person?" in page.html
        connection = Connection.objects.get()
        patient.confirm(connection)
        connection.refresh_from_db()
        assert connection.fhir_patient_id == patient_id
        assert launch_context.find(connection).encounter == (visit_id if is_told else "")
        assert visit_id.encode() not in bytes(connection.sealed_context or b"")


class TestWhoSignedIn:
    @pytest.mark.parametrize(
        ("fhir_user", "who"),
        [
            ("Patient/p-1", SignedIn.PATIENT),
            ("Patient/p-2", SignedIn.ANOTHER_PATIENT),
            ("RelatedPerson/p-1", SignedIn.RELATIVE),
            ("Person/p-1", SignedIn.RELATIVE),
            ("Practitioner/p-1", SignedIn.STAFF),
            ("PractitionerRole/p-1", SignedIn.STAFF),
            ("Device/p-1", SignedIn.UNKNOWN),
            ("", SignedIn.UNKNOWN),
        ],
    )
    def test_is_told_by_the_kind_of_person_and_for_a_patient_by_the_id(self, fhir_user, who):
        assert LaunchContext(fhir_user=fhir_user).signed_in("p-1") is who
