"""Interface B with identity, launches and organizations, from the authorization request to the data."""

import json
from base64 import urlsafe_b64decode
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from apps.sandbox import scenarios
from apps.sandbox.models import SmartGrant
from apps.sandbox.smart.identity import issuers
from tests.sandbox.smart.literal import ADA, RIVERSIDE, WILLOW, authorize, sent_back

pytestmark = pytest.mark.django_db

OPENID = "openid fhirUser launch/patient patient/Patient.read"


def claims(token):
    payload = token.split(".")[1]
    return json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


class TestAnIdToken:
    @pytest.mark.conformance("X43", "X67")
    def test_comes_where_openid_was_allowed_with_the_nonce_that_was_sent(self, exchange):
        told = exchange(scope=OPENID, nonce="n-0S6_WzA2Mj").json()
        said = claims(told["id_token"])
        assert said["iss"] == issuers.identity(WILLOW, "patient")
        assert said["aud"] == "phone"
        assert said["nonce"] == "n-0S6_WzA2Mj"
        assert said["fhirUser"] == f"http://testserver/b/myrecord/r4/{WILLOW}/Patient/r-ada"

    @pytest.mark.conformance("X43")
    def test_does_not_come_where_openid_was_not_asked_for_or_left_out(self, exchange):
        assert "id_token" not in exchange().json()
        assert "id_token" not in exchange(scope=OPENID, drop=["openid"]).json()

    def test_is_issued_by_none_of_the_other_issuers(self, exchange, client):
        told = exchange(scope=OPENID).json()
        configuration = client.get(f"/b/myrecord/r4/{WILLOW}/.well-known/smart-configuration").json()
        issuer = claims(told["id_token"])["iss"]
        assert issuer not in {configuration["issuer"], claims(told["access_token"])["iss"]}
        assert configuration["issuer"] != claims(told["access_token"])["iss"]

    @pytest.mark.parametrize("way", ["alg-none", "empty"])
    def test_is_wrong_on_the_wire_where_the_switch_says_so(self, exchange, way):
        scenarios.choose("id_token_form", way)
        token = exchange(scope=OPENID).json()["id_token"]
        assert token == "" if way == "empty" else token.endswith(".")

    def test_does_not_come_with_a_refresh(self, exchange, post_token):
        told = exchange(scope=OPENID + " offline_access").json()
        again = post_token({"grant_type": "refresh_token", "refresh_token": told["refresh_token"]}).json()
        assert again.keys() == {"access_token", "scope", "token_type", "expires_in"}


class TestALaunch:
    SCOPE = "launch patient/Patient.read patient/Observation.read"

    @pytest.fixture
    def launched(self, client, smart, ada):
        """Starts the application from the portal; gives iss and launch."""

        def launched(**fields):
            smart(launch_url="https://app.example/launch", **fields)
            client.post("/b/launch/", ADA)
            back = client.post(
                f"/b/launch/?at=r4/{WILLOW}", {"step": "start", "application": "phone", "open": "r-ada|"}
            )
            query = parse_qs(urlsplit(back["Location"]).query)
            return query["iss"][0], query["launch"][0]

        return launched

    @pytest.mark.conformance("X36", "X68")
    def test_from_the_portal_gives_its_patient(self, client, launched, post_token):
        iss, launch = launched()
        address = authorize(scope=self.SCOPE, launch=launch, aud=iss)
        client.post(address, ADA)
        code = sent_back(client.post(address, {"step": "allow", "scope": self.SCOPE.split()[1:]}))["code"]
        told = post_token(
            {
                "grant_type": "authorization_code",
                "code": code,
                "client_id": "phone",
                "redirect_uri": "https://app.example/back/7Q",
            }
        ).json()
        assert told["patient"] == "r-ada"
        assert "encounter" not in told

    def test_is_good_at_its_own_root_alone(self, client, launched):
        _, launch = launched()
        aud = f"http://testserver/b/myrecord/r4/{RIVERSIDE}/"
        back = client.get(authorize(RIVERSIDE, scope=self.SCOPE, launch=launch, aud=aud))
        assert sent_back(back)["error"] == "invalid_request"


class TestAnOrganizationThatHasNotEnabledTheApplication:
    @pytest.mark.conformance("X60", "X63")
    def test_sends_the_browser_back_with_unauthorized_client_and_a_page_that_says_so(self, client, smart):
        smart(enabled_tenants=[RIVERSIDE])
        response = client.get(authorize())
        assert "urn%253Asandbox%253Aerror%253Aauthorization-server%253Aoauth2%253Agrant%253A" in response["Location"]
        told = sent_back(response)
        assert told["error"] == "unauthorized_client"
        assert told["state"] == "s-0123456789-abcdef"
        assert unquote(told["error_uri"]).split("/instances/")[0].endswith(":unauthorized-client-for-tenant")
        assert client.get(told["error_uri"].removeprefix("http://testserver")).status_code == 200

    @pytest.mark.conformance("X60")
    def test_stops_the_browser_with_a_page_on_request(self, client, smart):
        smart(enabled_tenants=[])
        scenarios.choose("not_enabled", "error-page")
        response = client.get(authorize())
        assert (response.status_code, "Location" in response) == (400, False)

    @pytest.mark.conformance("X60")
    def test_lets_sign_in_pass_and_refuses_data_on_request(self, client, phone, exchange):
        scenarios.choose("not_enabled", "forbidden-at-data")
        client.post("/b/desk/", {"tenant": WILLOW, "application": "phone", "decision": "disable"})
        token = exchange().json()["access_token"]
        address = f"/b/myrecord/r4/{WILLOW}/Observation?patient=r-ada&category=laboratory"
        headers = {"Authorization": f"Bearer {token}"}
        assert client.get(address, headers=headers).status_code == 403
        client.post("/b/desk/", {"tenant": WILLOW, "application": "phone", "decision": "enable"})
        assert client.get(address, headers=headers).status_code == 200

    @pytest.mark.conformance("X60")
    def test_refreshes_no_more_and_does_again_once_it_is_enabled(self, client, exchange, post_token):
        told = exchange().json()
        body = {"grant_type": "refresh_token", "refresh_token": told["refresh_token"]}
        client.post("/b/desk/", {"tenant": WILLOW, "application": "phone", "decision": "disable"})
        refused = post_token(body)
        assert (refused.status_code, refused.json()["error"]) == (400, "unauthorized_client")
        client.post("/b/desk/", {"tenant": WILLOW, "application": "phone", "decision": "enable"})
        assert post_token(body).status_code == 200


class TestAnAnswerInTheBrowser:
    @pytest.mark.conformance("X65")
    @pytest.mark.parametrize(
        ("mode", "iss", "is_announced"),
        [
            ("off", None, False),
            ("on", f"http://testserver/b/authorization/tenants/{WILLOW}", True),
            ("wrong", "http://testserver/b/authorization/tenants/another-tenant", True),
            ("announced-only", None, True),
            ("unannounced", f"http://testserver/b/authorization/tenants/{WILLOW}", False),
        ],
    )
    def test_names_its_issuer_and_announces_that_by_switch(self, client, allow, phone, mode, iss, is_announced):
        scenarios.choose("issuer_in_answers", mode)
        told = client.get(f"/b/myrecord/r4/{WILLOW}/.well-known/smart-configuration").json()
        assert told.get("authorization_response_iss_parameter_supported", False) is is_announced
        assert told["issuer"] == f"http://testserver/b/authorization/tenants/{WILLOW}"
        assert allow().get("iss") == iss
        assert sent_back(client.post(authorize(), {"step": "cancel"})).get("iss") == iss  # RFC 9207 section 2

    @pytest.mark.conformance("X38", "X63")
    def test_that_was_cancelled_has_state_and_an_error_uri_encoded_twice(self, client, phone):
        response = client.post(authorize(), {"step": "cancel"})
        assert (
            "error_uri=http%3A%2F%2Ftestserver%2Fb%2Fauthorization%2Ferrors%2Furn%253Asandbox%253A"
            in (response["Location"])
        )
        told = sent_back(response)
        assert told.keys() == {"error", "error_uri", "state"}
        assert (told["error"], told["state"]) == ("access_denied", "s-0123456789-abcdef")


class TestARefusalOfTheTokenEndpoint:
    @pytest.mark.conformance("X63")
    def test_is_json_with_error_and_an_error_uri_encoded_once(self, post_token, phone):
        response = post_token({"grant_type": "authorization_code", "code": "unknown", "client_id": "phone"})
        assert response["Content-Type"] == "application/json"
        told = response.json()
        assert told.keys() == {"error", "error_uri"}
        assert told["error"] == "invalid_grant"
        assert told["error_uri"].startswith(
            "http://testserver/b/authorization/errors/urn%3Asandbox%3Aerror%3Aauthorization-server%3Aoauth2%3Atoken%3A"
            "code-invalid-or-expired/instances/"
        )
        assert told["error_uri"].endswith(f"?client=phone&tenant={WILLOW}")


class TestRemovalByThePatient:
    @pytest.mark.conformance("X49", "X66")
    def test_kills_the_refresh_token_at_once(self, client, exchange, post_token):
        told = exchange().json()
        body = {"grant_type": "refresh_token", "refresh_token": told["refresh_token"]}
        assert post_token(body).status_code == 200
        manage = client.get(f"/b/myrecord/r4/{WILLOW}/.well-known/smart-configuration").json()["management_endpoint"]
        page = manage.removeprefix("http://testserver")
        client.post(page, ADA)
        client.post(page, {"step": "remove", "application": SmartGrant.objects.get().application_id})
        refused = post_token(body)
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")


class TestRevocationByTheApplication:
    @pytest.mark.conformance("X49", "X66")
    def test_kills_the_refresh_token_at_the_announced_address(self, client, exchange, post_token):
        told = exchange().json()
        root = f"/b/myrecord/r4/{WILLOW}/.well-known/smart-configuration"
        address = client.get(root).json()["revocation_endpoint"].removeprefix("http://testserver")
        assert post_token({"client_id": "phone", "token": told["refresh_token"]}, address).status_code == 200
        body = {"grant_type": "refresh_token", "refresh_token": told["refresh_token"]}
        assert post_token(body).json()["error"] == "invalid_grant"
