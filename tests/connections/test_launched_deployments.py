"""A portal of the sandbox's SMART deployment starts the site, and the record it opened is linked."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from apps.connections.models import Connection
from tests.connections.deployments import RIVERSIDE
from tests.faults.practice import Visit
from tests.faults.travelling import within_the_site

pytestmark = pytest.mark.django_db


def start(place, **fields):
    """What the portal makes of "start": an address of ours, as a browser is sent to it."""
    launch = place.sandbox.post(
        "/control/launches",
        client_id=place.registration.client_id,
        username="ruth",
        tenant=place.endpoint.tenant,
        version=place.endpoint.fhir_version,
        **fields,
    )
    return within_the_site(launch["address"]), launch


def leave(patient, address):
    """From the portal's link to the provider's sign-in: the address it leads to."""
    page = patient.get(address)
    assert "sent you here." in page.html
    left = patient.post(page.asked)
    found = re.search(r'<a class="button" href="(http[^"]+)"', left.html)
    assert found is not None, left.status
    return unescape(found[1])


class TestAStartFromThePortal:
    @pytest.mark.conformance("C28")
    @pytest.mark.parametrize("version", ["r4", "dstu2"])
    def test_ends_with_the_confirmed_record(self, deploy, patient, version):
        place = deploy(provider=RIVERSIDE, version=version)
        address, launch = start(place)
        left_by = leave(patient, address)
        sent = parse_qs(urlsplit(left_by).query)
        assert sent["launch"] == [launch["launch"]]
        assert sent["aud"] == [launch["iss"]] == [place.endpoint.fhir_base_url]
        page = patient.get(within_the_site(Visit().answer(left_by)))
        assert "Ruth Ann Alder" in page.html
        connection = Connection.objects.get()
        patient.confirm(connection)
        connection.refresh_from_db()
        assert connection.status == Connection.Status.ACTIVE
        assert connection.provider.name == RIVERSIDE

    @pytest.mark.conformance("C28")
    @pytest.mark.parametrize("written", ["launch/patient patient/Patient.read", "patient/Patient.read"])
    def test_leads_through_with_a_scope_of_our_own(self, deploy, patient, written):
        place = deploy(smart_version="v1", scope=written)
        left_by = leave(patient, start(place)[0])
        assert parse_qs(urlsplit(left_by).query)["scope"] == ["launch patient/Patient.read"]
        assert "Is this the right person?" in patient.get(within_the_site(Visit().answer(left_by))).html

    def test_asks_the_provider_nothing_before_the_button(self, deploy, patient):
        place = deploy()
        address, _launch = start(place)
        place.sandbox.delete("/control/requests")
        patient.get(address)
        patient.get(address)
        assert place.sandbox.get("/control/requests")["requests"] == []


class TestAStartThatRanOutThere:
    @pytest.fixture
    def ran_out(self, deploy, patient):
        place = deploy()
        address, _launch = start(place)
        left_by = leave(patient, address)
        place.sandbox.post("/control/clock", move_seconds=301)
        return place, patient.get(within_the_site(Visit().answer(left_by)))

    @pytest.mark.conformance("C28", "C48")
    def test_is_offered_as_one_from_here(self, ran_out, patient):
        place, page = ran_out
        assert f"This start from {place.provider.name} no longer works" in page.html
        assert "has expired, or was for someone else" in page.html
        assert "this is ours to fix" not in page.html
        assert f'href="{place.before_you_go}"' in page.html
        assert not Connection.objects.exists()
        assert "launch" not in parse_qs(urlsplit(patient.leave(place)).query)

    def test_is_no_news_for_staff(self, ran_out, caplog):
        said = [record.getMessage() for record in caplog.get_records("setup")]
        assert said
        assert not [line for line in said if "Staff must look" in line]


class TestALaunchWithoutTheRightPerson:
    def test_links_only_what_the_person_signs_in_for_there(self, deploy, patient):
        """A launch proves nobody's identity: at the provider somebody else signs in, who does not see this record."""
        place = deploy()
        left_by = leave(patient, start(place)[0])
        sent_to = Visit().answer(left_by, username="george")
        if sent_to is not None:
            patient.get(within_the_site(sent_to))
        assert not Connection.objects.exists()
