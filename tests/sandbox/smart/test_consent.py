"""What a person sees and decides at interface B: whose record, which scopes, and whether the window may be closed."""

import json
import re

import pytest

from apps.sandbox import clock
from apps.sandbox.models import Resource, SmartGrant
from tests.sandbox.smart.literal import ADA, RIVERSIDE, WILLOW, authorize, sent_back

pytestmark = pytest.mark.django_db

SCOPE = "openid launch/patient patient/Patient.read patient/Observation.read patient/Condition.read offline_access"
SIGN_OUT = f"/b/authorization/tenants/{WILLOW}/personas/patient/sign-out"


@pytest.fixture
def son(ada):
    """Ada's son has a name at Riverside, she has none there."""
    Resource.objects.create(
        tenant=RIVERSIDE,
        version="r4",
        patient_id="r-son",
        resource_type="Patient",
        logical_id="r-son",
        body=json.dumps({"resourceType": "Patient", "name": [{"given": ["Byron"], "family": "King"}]}).encode(),
        last_updated_at=clock.now(),
    )


class TestScopes:
    @pytest.mark.conformance("X37")
    def test_can_be_dropped_and_the_answer_shows_what_is_left(self, exchange):
        answer = exchange(scope=SCOPE, drop=["patient/Condition.read", "offline_access"]).json()
        assert answer["scope"] == "openid launch/patient patient/Patient.read patient/Observation.read"
        assert SmartGrant.objects.get().access == ""

    @pytest.mark.conformance("X37")
    def test_are_all_granted_by_default_in_the_order_asked(self, exchange):
        assert exchange(scope=SCOPE).json()["scope"] == SCOPE

    @pytest.mark.conformance("X37")
    @pytest.mark.parametrize("left", [[], ["offline_access"], ["launch/patient"]])
    def test_must_leave_something(self, client, phone, ada, left):
        client.post(authorize(scope=SCOPE), ADA)
        back = sent_back(client.post(authorize(scope=SCOPE), {"step": "allow", "scope": left}))
        assert (back["error"], back["state"]) == ("access_denied", "s-0123456789-abcdef")
        assert not SmartGrant.objects.exists()

    def test_cannot_be_added_on_the_page(self, client, phone, ada):
        client.post(authorize(scope=SCOPE), ADA)
        given = ["openid", "fhirUser", "patient/Goal.read", "user/Patient.read"]
        client.post(authorize(scope=SCOPE), {"step": "allow", "scope": given})
        assert SmartGrant.objects.get().scopes == ["openid", "launch/patient"]

    def test_are_told_in_words(self, client, phone, ada):
        page = client.post(authorize(scope=SCOPE), ADA)
        assert [str(words) for _, words in page.context["ticks"]] == [
            "Proof that it is you who signed in",
            "Name, birth date and contact details",
            "Results and measurements",
            "Health conditions",
            "To go on reading when you are not here, until you take it back",
        ]


class TestWhoseRecord:
    @pytest.mark.conformance("X43")
    def test_is_the_only_one_there_is(self, exchange):
        assert exchange(scope=SCOPE).json()["patient"] == "r-ada"

    def test_differs_by_version(self, exchange):
        aud = f"http://testserver/b/myrecord/dstu2/{WILLOW}/"
        assert exchange(scope=SCOPE, aud=aud).json()["patient"] == "d-ada"

    def test_is_chosen_among_several(self, client, phone, ada, son):
        address = authorize(RIVERSIDE, scope=SCOPE)
        page = client.post(address, ADA)
        assert page.context["choices"] == [("r-ada", "r-ada"), ("r-son", "Byron King")]
        client.post(address, {"step": "allow", "scope": ["patient/Observation.read"], "patient": "r-son"})
        grant = SmartGrant.objects.get()
        assert (grant.patient_id, grant.fhir_user) == ("r-son", "Patient/r-ada")

    @pytest.mark.parametrize("patient", [None, "", "r-grace", "d-ada"])
    def test_has_to_be_one_of_these(self, client, phone, ada, patient):
        address = authorize(RIVERSIDE, scope=SCOPE)
        client.post(address, ADA)
        form = {"step": "allow", "scope": ["patient/Observation.read"], **({"patient": patient} if patient else {})}
        assert b"Choose whose record it is" in client.post(address, form).content
        assert not SmartGrant.objects.exists()

    def test_matters_to_nobody_without_scopes_for_one(self, client, phone, ada):
        address = authorize(RIVERSIDE, scope="openid user/Observation.read")
        assert client.post(address, ADA).context["choices"] == []
        client.post(address, {"step": "allow", "scope": ["openid"]})
        assert SmartGrant.objects.get().patient_id == ""


class TestSignIn:
    @pytest.mark.parametrize(("username", "password"), [("ada", "wrong"), ("nobody", "x"), ("ada\0", "x"), ("", "")])
    def test_is_for_those_who_are_enrolled(self, client, phone, ada, username, password):
        form = {"step": "sign-in", "username": username, "password": password}
        assert b"do not go together" in client.post(authorize(), form).content
        assert b"Sign in at your practice" in client.post(authorize(), {"step": "allow"}).content
        assert not SmartGrant.objects.exists()

    def test_needs_a_record_at_this_organization(self, client, phone, ada):
        ada.tenant_patients = {RIVERSIDE: {"r4": ["r-ada"]}}
        ada.save()
        assert b"holds no record for you" in client.post(authorize(), ADA).content

    def test_is_over_after_allowing(self, client, phone, allow):
        allow()
        assert b"Sign in at your practice" in client.get(authorize()).content

    def test_can_be_asked_for_again(self, client, phone, ada):
        client.post(authorize(), {**ADA, "keep": "on"})
        assert b"You are signed in as" in client.get(authorize(state="another-state-123")).content
        assert b"Sign in at your practice" in client.get(authorize(prompt="login")).content


class TestPages:
    @pytest.fixture
    def pages(self, client, phone, ada):
        return {
            "sign-in": client.get(authorize()),
            "consent": client.post(authorize(), ADA),
            "stop": client.get(authorize(client_id="nobody")),
            "sign-out": client.get(SIGN_OUT),
            "signed-out": client.post(SIGN_OUT),
        }

    @pytest.mark.conformance("X39")
    def test_say_whether_closing_is_safe(self, pages):
        for name, page in pages.items():
            assert re.search(rb"(You can|If you) close this (window|page)", page.content), name

    @pytest.mark.conformance("X39")
    def test_never_close_themselves(self, pages):
        for name, page in pages.items():
            assert b"<script" not in page.content, name
            assert b"window.close" not in page.content, name
            assert "script-src 'self'" in page["Content-Security-Policy"], name

    @pytest.mark.conformance("X39")
    def test_are_shown_in_no_frame_and_stored_nowhere(self, pages):
        for name, page in pages.items():
            assert page["X-Frame-Options"] == "DENY", name
            assert "frame-ancestors 'none'" in page["Content-Security-Policy"], name
            assert page["Cache-Control"] == "no-store", name

    def test_lead_to_the_application_alone(self, pages):
        for name in ("sign-in", "consent"):
            assert pages[name]["Content-Security-Policy"].endswith("form-action 'self' https://app.example")
