"""Authorization requests that begin at the provider: launched for a patient, or made by a clinician (S2)."""

from datetime import timedelta

import pytest

from apps.sandbox import bearer, clock
from apps.sandbox.models import Launch, SmartGrant
from apps.sandbox.smart.authorizing import launching
from tests.sandbox.smart.literal import ADA, RIVERSIDE, WILLOW, authorize, sent_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def launch(phone, ada):
    """A launch of Ada's with a patient and a visit, whose value is "started-there"."""

    def launch(value="started-there", **fields):
        return Launch.objects.create(
            sha256=bearer.sha256(value),
            **{
                "application": phone,
                "tenant_id": WILLOW,
                "host": "myrecord",
                "version": "r4",
                "account": ada,
                "patient_id": "r-ada",
                "encounter_id": "e-1",
                "expires_at": clock.now() + timedelta(minutes=5),
                **fields,
            },
        )

    return launch


class TestALaunch:
    SCOPE = "launch patient/Observation.read"

    @pytest.mark.conformance("X36")
    def test_gives_its_patient_and_visit(self, launch, exchange):
        launch()
        answer = exchange(scope=self.SCOPE, launch="started-there").json()
        assert (answer["patient"], answer["encounter"]) == ("r-ada", "e-1")
        assert answer["scope"] == self.SCOPE

    @pytest.mark.conformance("X43")
    def test_tells_neither_where_the_application_may_not_be_launched(self, launch, phone, exchange):
        launch()
        phone.scopes = ["patient/Observation.read"]
        phone.save()
        answer = exchange(scope=self.SCOPE, launch="started-there").json()
        assert answer["scope"] == "patient/Observation.read"
        assert not {"patient", "encounter"} & answer.keys()

    def test_may_be_without_a_visit(self, launch, exchange):
        launch(encounter_id="")
        answer = exchange(scope=self.SCOPE, launch="started-there").json()
        assert answer["patient"] == "r-ada"
        assert "encounter" not in answer

    @pytest.mark.conformance("X36")
    @pytest.mark.parametrize(
        "given",
        [
            {"scope": SCOPE},
            {"scope": SCOPE, "launch": ""},
            {"scope": SCOPE, "launch": "never-started"},
            {"scope": "patient/Observation.read", "launch": "started-there"},
        ],
    )
    def test_needs_scope_and_value(self, client, launch, given):
        launch()
        assert sent_back(client.get(authorize(**given)))["error"] == "invalid_request"

    @pytest.mark.conformance("X36")
    @pytest.mark.parametrize(
        "fields",
        [{"tenant_id": RIVERSIDE}, {"host": "ehr"}, {"version": "dstu2"}, {"used": True}, {"expired": True}],
    )
    def test_counts_where_and_when_it_was_made_for(self, client, launch, fields):
        moments = {"used": ("used_at", timedelta()), "expired": ("expires_at", timedelta())}
        launch(**{moments.get(name, (name,))[0]: clock.now() if name in moments else value
                  for name, value in fields.items()})  # fmt: skip
        back = sent_back(client.get(authorize(scope=self.SCOPE, launch="started-there")))
        assert back["error"] == "invalid_request"
        assert "invalid-launch-code" in back["error_uri"]

    @pytest.mark.conformance("X36")
    def test_of_another_application_counts_for_nothing(self, client, launch, smart):
        launch(application=smart("other"))
        back = sent_back(client.get(authorize(scope=self.SCOPE, launch="started-there")))
        assert back["error"] == "invalid_request"

    def test_works_once(self, client, launch, allow):
        launch()
        allow(scope=self.SCOPE, launch="started-there")
        back = sent_back(client.get(authorize(scope=self.SCOPE, launch="started-there", state="another-state-123")))
        assert back["error"] == "invalid_request"

    def test_is_claimed_by_one_of_two_windows(self, launch):
        row = launch()
        assert [launching.claim(row, at=clock.now()) for _ in range(2)] == [True, False]

    def test_signs_nobody_in(self, client, launch):
        launch()
        response = client.get(authorize(scope=self.SCOPE, launch="started-there"))
        assert b"Sign in at your practice" in response.content

    def test_is_for_the_one_who_started_it(self, client, launch, ada, noor):
        noor.practitioner_id = ""
        noor.save()
        launch()
        address = authorize(scope=self.SCOPE, launch="started-there")
        response = client.post(address, {"step": "sign-in", "username": "noor", "password": "clinic-1"})
        assert "mismatched-identity" in sent_back(response)["error_uri"]
        back = sent_back(client.post(address, {"step": "allow", "scope": "patient/Observation.read"}))
        assert back["error"] == "invalid_request"
        assert not SmartGrant.objects.exists()


class TestAClinician:
    ADDRESS = {"persona": "provider", "aud": f"http://testserver/b/ehr/r4/{WILLOW}/"}
    NOOR = {"step": "sign-in", "username": "noor", "password": "clinic-1"}

    def test_allows_what_they_may_see(self, smart, noor, allow):
        smart(persona="provider")
        allow(sign_in=self.NOOR, scope="openid user/Observation.read", **self.ADDRESS)
        grant = SmartGrant.objects.get()
        assert (grant.persona, grant.host, grant.fhir_user, grant.patient_id) == (
            "provider",
            "ehr",
            "Practitioner/p-noor",
            "",
        )

    def test_chooses_no_patient_here(self, smart, noor, allow):
        """Interface facts 3.3: they do so in their own portal, and launch/patient is for patients alone."""
        smart(persona="provider")
        allow(sign_in=self.NOOR, scope="launch/patient user/Observation.read", **self.ADDRESS)
        assert SmartGrant.objects.get().scopes == ["user/Observation.read"]

    def test_is_told_whose_access_is_asked_for(self, client, smart, phone):
        smart("chart", persona="provider")
        page = client.get(authorize(client_id="chart", scope="user/Observation.read", **self.ADDRESS)).content
        assert (b"with your access" in page, b"your record" in page) == (True, False)
        assert b"your record" in client.get(authorize()).content

    def test_needs_a_launch_for_one_patient(self, client, smart, noor):
        smart(persona="provider")
        back = sent_back(client.get(authorize(scope="patient/Observation.read", **self.ADDRESS)))
        assert back["error"] == "invalid_request"

    def test_signs_in_at_their_own_address_alone(self, client, phone, noor):
        assert b"holds no record for you" in client.post(authorize(), self.NOOR).content

    def test_is_not_who_a_patient_is(self, client, smart, ada, noor):
        smart(persona="provider")
        response = client.post(authorize(scope="user/Observation.read", **self.ADDRESS), ADA)
        assert b"holds no record for you" in response.content
