"""The provider's portal, which launches an application with what is open there."""

import json
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from apps.sandbox import bearer, clock, enrolment, scenarios
from apps.sandbox.models import Account, Launch, Resource, SmartApplication, Tenant

pytestmark = pytest.mark.django_db

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
PORTAL = "/b/launch/?at=r4/-t1"
ADA = {"step": "sign-in", "username": "ada", "password": "lovelace-1815"}
NOOR = {"step": "sign-in", "username": "noor", "password": "clinic-1"}
START = {"step": "start", "application": "app", "open": "a1|e1"}


def keep(resource_type, logical_id, body, patient_id="a1"):
    Resource.objects.create(
        tenant="-t1",
        version="r4",
        patient_id=patient_id,
        resource_type=resource_type,
        logical_id=logical_id,
        body=json.dumps(body).encode(),
        last_updated_at=AT,
    )


@pytest.fixture(autouse=True)
def place():
    """One organization with Ada's record, one visit of hers, and a clinician who sees Ada and Bob."""
    clock.set_to(AT)
    Tenant.objects.create(id="-t1", name="Willow Creek")
    for username, password, ids in (("ada", "lovelace-1815", ["a1"]), ("noor", "clinic-1", ["a1", "b1"])):
        account = enrolment.enrol(username, password, username.title(), {"r4": ids})
        account.tenant_patients = {"-t1": {"r4": ids}}
        account.practitioner_id = "p1" if username == "noor" else ""
        account.save()
    keep("Patient", "a1", {"name": [{"given": ["Ada"], "family": "Byron"}]})
    keep("Patient", "b1", {"name": [{"given": ["Bob"], "family": "Carter"}]}, "b1")
    keep("Encounter", "e1", {"type": [{"text": "Check-up"}], "period": {"start": "2026-02-01T09:00:00Z"}})
    keep("Encounter", "e2", {"type": [{"text": "Of Bob"}], "period": {"start": "2026-02-02"}}, "b1")


@pytest.fixture
def install():
    def install(client_id="app", persona="patient", launch_url="https://app.example/launch", **fields):
        return SmartApplication.objects.create(
            name=f"App {client_id}",
            client_id=client_id,
            persona=persona,
            launch_url=launch_url,
            **{"versions": ["r4"], "enabled_tenants": ["-t1"], "requested_at": AT, **fields},
        )

    return install


def sent(response):
    """Where the browser was sent, and with what."""
    assert response.status_code == 302, response.content
    address = urlsplit(response["Location"])
    return f"{address.scheme}://{address.netloc}{address.path}", parse_qs(address.query)


class TestAPatient:
    @pytest.mark.conformance("X68")
    def test_sends_the_browser_to_the_launch_address_with_iss_and_launch(self, client, install):
        install()
        client.post("/b/launch/", ADA)
        address, query = sent(client.post(PORTAL, START))
        assert address == "https://app.example/launch"
        assert query.keys() == {"iss", "launch"}
        assert query["iss"] == ["http://testserver/b/myrecord/r4/-t1/"]
        launch = Launch.objects.get(sha256=bearer.sha256(query["launch"][0]))
        assert (launch.patient_id, launch.encounter_id, launch.host) == ("a1", "e1", "myrecord")
        assert timedelta(minutes=4) < launch.expires_at - clock.now() <= timedelta(minutes=5)

    def test_keeps_the_query_of_the_launch_address(self, client, install):
        install(launch_url="https://app.example/launch?site=7")
        client.post("/b/launch/", ADA)
        assert sent(client.post(PORTAL, START))[1]["site"] == ["7"]

    def test_makes_a_new_launch_every_time(self, client, install):
        install()
        client.post("/b/launch/", ADA)
        launches = {sent(client.post(PORTAL, START))[1]["launch"][0] for _ in range(3)}
        assert len(launches) == 3
        assert all(len(launch) >= 32 for launch in launches)

    def test_may_open_no_visit(self, client, install):
        install()
        client.post("/b/launch/", ADA)
        client.post(PORTAL, {**START, "open": "a1|"})
        assert Launch.objects.get().encounter_id == ""

    def test_tells_no_visit_where_the_server_tells_none(self, client, install):
        install()
        scenarios.choose("launch_encounter", "never")
        client.post("/b/launch/", ADA)
        client.post(PORTAL, START)
        assert (Launch.objects.get().patient_id, Launch.objects.get().encounter_id) == ("a1", "")

    def test_sees_their_visits_and_nobody_else(self, client, install):
        install()
        client.post("/b/launch/", ADA)
        page = client.get(PORTAL).content
        assert b"Ada Byron" in page
        assert b"2026-02-01 Check-up" in page
        assert b"Bob" not in page

    @pytest.mark.parametrize(
        "given",
        [
            {"open": "b1|"},
            {"open": "a1|e2"},
            {"open": "a1|nothing"},
            {"application": "clinic"},
            {"application": "old"},
            {"application": "retired"},
            {"application": "unlaunchable"},
            {"application": "nobody"},
            {"application": "a\0"},
        ],
    )
    def test_starts_nothing_that_is_not_theirs_to_start(self, client, install, given):
        install()
        install("clinic", persona="provider")
        install("old", versions=["dstu2"])
        install("retired", status="retired")
        install("unlaunchable", launch_url="")
        client.post("/b/launch/", ADA)
        page = client.post(PORTAL, {**START, **given})
        assert page.status_code == 200
        assert b"That cannot be started." in page.content
        assert not Launch.objects.exists()


class TestAClinician:
    @pytest.mark.conformance("X68")
    def test_starts_an_application_of_clinicians_at_their_own_root(self, client, install):
        install(persona="provider")
        client.post("/b/launch/", NOOR)
        _, query = sent(client.post(PORTAL, {**START, "open": "b1|e2"}))
        assert query["iss"] == ["http://testserver/b/ehr/r4/-t1/"]
        assert Launch.objects.get().patient_id == "b1"

    def test_may_open_nobody(self, client, install):
        install(persona="provider")
        client.post("/b/launch/", NOOR)
        sent(client.post(PORTAL, {**START, "open": ""}))
        assert Launch.objects.get().patient_id == ""


class TestThePortal:
    @pytest.mark.parametrize("password", ["wrong", ""])
    def test_is_closed_to_strangers(self, client, install, password):
        install()
        assert b"do not go together" in client.post("/b/launch/", {**ADA, "password": password}).content
        assert b"Sign in to the portal" in client.post(PORTAL, START).content
        assert not Launch.objects.exists()

    def test_signs_nobody_in_where_access_is_asked_for(self, client, install):
        client.post("/b/launch/", ADA)
        page = client.get("/b/authorization/tenants/-t1/personas/patient/my-authorizations").content
        assert b"Sign in to see the applications" in page

    def test_forgets_who_signs_out_or_is_enrolled_no_more(self, client, install):
        client.post("/b/launch/", ADA)
        assert b"Sign in to the portal" in client.post("/b/launch/", {"step": "sign-out"}).content
        client.post("/b/launch/", ADA)
        Account.objects.update(is_enrolled=False)
        assert b"Sign in to the portal" in client.get("/b/launch/").content

    def test_shows_nothing_of_an_organization_that_is_closed(self, client, install):
        client.post("/b/launch/", ADA)
        Tenant.objects.update(is_suspended=True)
        assert b"Willow Creek" not in client.get(PORTAL).content

    def test_shows_only_what_its_organization_has_enabled(self, client, install):
        install()
        install("elsewhere", enabled_tenants=["-t2"])
        client.post("/b/launch/", ADA)
        page = client.get(PORTAL).content
        assert b"App app" in page
        assert b"App elsewhere" not in page

    def test_lets_its_form_lead_to_the_applications_and_nowhere_else(self, client, install):
        install()
        client.post("/b/launch/", ADA)
        assert client.get(PORTAL)["Content-Security-Policy"].endswith("form-action 'self' https://app.example")
