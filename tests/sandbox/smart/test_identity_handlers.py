"""The control addresses for what surrounds interface B, and the desk where organizations decide."""

import json

import pytest

from apps.sandbox import bearer
from apps.sandbox.models import Launch, SmartApplication, Tenant
from apps.sandbox.smart import rogue
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def truthful():
    """What is announced lives in the process."""
    yield
    rogue.announce(rogue.Elsewhere())


class TestTheKeyLever:
    @pytest.mark.conformance("X67")
    def test_rotates_at_once(self, control, client):
        before = {key["kid"] for key in client.get("/b/authorization/jwk").json()["keys"]}
        status, data = control("POST", "signing-keys")
        assert status == 201
        after = {key["kid"] for key in client.get("/b/authorization/jwk").json()["keys"]}
        assert {key["kid"] for key in data["keys"]} == after
        assert len(after - before) == 3
        assert control("GET", "signing-keys") == (200, data)

    def test_shows_no_private_half(self, control):
        assert {name for key in control("GET", "signing-keys")[1]["keys"] for name in key} == {
            *("kid", "kty", "purpose", "created_at")
        }


class TestTheEnablementLever:
    def test_decides_for_one_organization_or_for_all(self, control, phone):
        assert control("POST", "enablements", {"client_id": "phone", "tenant": WILLOW, "is_enabled": False}) == (
            200,
            {"client_id": "phone", "tenants": [RIVERSIDE]},
        )
        assert control("POST", "enablements", {"client_id": "phone", "is_enabled": False})[1]["tenants"] == []
        assert set(control("POST", "enablements", {"client_id": "phone"})[1]["tenants"]) == {WILLOW, RIVERSIDE}
        assert control("GET", "enablements")[1]["enablements"][0]["client_id"] == "phone"

    @pytest.mark.parametrize("body", [{}, {"client_id": "x"}, {"client_id": "phone", "tenant": "x"}])
    def test_refuses_what_is_not_there(self, control, phone, body):
        assert control("POST", "enablements", body)[0] == 400


class TestTheLaunchLever:
    def test_starts_what_the_portal_would(self, control, smart, ada):
        smart(launch_url="https://app.example/launch")
        body = {"client_id": "phone", "username": "ada", "tenant": WILLOW, "version": "r4", "patient_id": "r-ada"}
        status, data = control("POST", "launches", body)
        assert status == 201
        assert data["iss"] == f"http://testserver/b/myrecord/r4/{WILLOW}/"
        assert data["address"].startswith("https://app.example/launch?iss=http%3A%2F%2Ftestserver%2Fb%2Fmyrecord%2F")
        assert Launch.objects.get().sha256 == bearer.sha256(data["launch"])

    @pytest.mark.parametrize(
        "changed", [{"username": "nobody"}, {"tenant": "x"}, {"patient_id": "r-grace"}, {"version": "stu3"}]
    )
    def test_refuses_what_the_portal_would_not_offer(self, control, smart, ada, changed):
        smart(launch_url="https://app.example/launch")
        body = {"client_id": "phone", "username": "ada", "tenant": WILLOW, "patient_id": "r-ada", **changed}
        assert control("POST", "launches", body)[0] == 400
        assert not Launch.objects.exists()


class TestTheRogueLever:
    DOCUMENT = json.dumps(
        {
            "authorization_endpoint": "http://testserver/b/authorization/tenants/t/personas/patient/authorize",
            "token_endpoint": "http://testserver/b/authorization/tenants/t/token",
            "revocation_endpoint": "http://testserver/b/authorization/tenants/t/token/revoke",
            "issuer": "http://testserver/b/authorization/tenants/t",
            "url": "http://testserver/b/myrecord/r4/t/",
        }
    )

    def test_moves_sign_in_or_tokens_or_both_to_another_origin_and_never_the_data(self, control):
        assert control("POST", "rogue-root", {"authorize_origin": "http://127.0.0.1:8901"})[0] == 200
        told = json.loads(rogue.told(self.DOCUMENT))
        assert told["authorization_endpoint"].startswith("http://127.0.0.1:8901/b/authorization/tenants/t/")
        assert told["issuer"] == "http://127.0.0.1:8901/b/authorization/tenants/t"
        assert told["token_endpoint"] == "http://testserver/b/authorization/tenants/t/token"
        assert told["url"] == "http://testserver/b/myrecord/r4/t/"
        control("POST", "rogue-root", {"token_origin": "http://127.0.0.1:8902"})
        told = json.loads(rogue.told(self.DOCUMENT))
        assert told["authorization_endpoint"].startswith("http://testserver/")
        assert told["token_endpoint"] == "http://127.0.0.1:8902/b/authorization/tenants/t/token"
        assert told["revocation_endpoint"] == "http://127.0.0.1:8902/b/authorization/tenants/t/token/revoke"

    def test_is_what_both_documents_of_a_root_say(self, control, client, two_tenants):
        control("POST", "rogue-root", {"authorize_origin": "http://127.0.0.1:8901"})
        root = f"/b/myrecord/r4/{WILLOW}"
        configuration = client.get(f"{root}/.well-known/smart-configuration").json()
        assert configuration["authorization_endpoint"].startswith("http://127.0.0.1:8901/b/authorization/tenants/")
        assert configuration["token_endpoint"].startswith("http://testserver/b/authorization/tenants/")
        named = {
            inner["url"]: inner["valueUri"]
            for inner in client.get(f"{root}/metadata").json()["rest"][0]["security"]["extension"][0]["extension"]
        }
        assert named["authorize"] == configuration["authorization_endpoint"]
        assert named["token"] == configuration["token_endpoint"]

    def test_tells_the_truth_again(self, control):
        control("POST", "rogue-root", {"token_origin": "http://127.0.0.1:8902"})
        assert control("DELETE", "rogue-root")[1] == {"authorize_origin": "", "token_origin": ""}
        assert rogue.told(self.DOCUMENT) == self.DOCUMENT
        control("POST", "rogue-root", {"token_origin": "http://127.0.0.1:8902"})
        control("POST", "reset")
        assert control("GET", "rogue-root")[1] == {"authorize_origin": "", "token_origin": ""}

    @pytest.mark.parametrize("origin", ["ftp://x", "http://x/", "http://x/path", "x", "http://x?y", 7])
    def test_takes_an_origin_and_nothing_else(self, control, origin):
        assert control("POST", "rogue-root", {"token_origin": origin})[0] == 400


class TestTheDesk:
    DECISION = {"tenant": WILLOW, "application": "phone"}

    def test_tells_two_applications_of_one_name_apart(self, client, phone, smart):
        smart("other", name=phone.name)
        page = client.get("/b/desk/").content
        assert (page.count(b"<code>phone</code>"), page.count(b"<code>other</code>")) == (2, 2)

    @pytest.mark.conformance("X60")
    def test_shows_and_changes_what_an_organization_lets_in(self, client, phone):
        assert b"Disable App phone at Willow Creek" in client.get("/b/desk/").content
        page = client.post("/b/desk/", {**self.DECISION, "decision": "disable"}, follow=True).content
        assert b"Enable App phone at Willow Creek" in page
        assert b"Disable App phone at Riverside" in page
        client.post("/b/desk/", {**self.DECISION, "decision": "enable"})
        assert set(SmartApplication.objects.get().enabled_tenants) == {WILLOW, RIVERSIDE}

    @pytest.mark.parametrize("wrong", [{"tenant": "x"}, {"application": "x"}, {"application": ""}])
    def test_decides_nothing_about_what_is_not_there(self, client, phone, wrong):
        assert client.post("/b/desk/", {**self.DECISION, "decision": "disable", **wrong}).status_code == 400
        assert len(SmartApplication.objects.get().enabled_tenants) == 2

    def test_leaves_out_organizations_that_are_closed(self, client, phone):
        Tenant.objects.filter(pk=WILLOW).update(is_suspended=True)
        assert b"Willow Creek" not in client.get("/b/desk/").content
