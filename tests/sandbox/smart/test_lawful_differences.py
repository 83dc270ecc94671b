"""Lawful differences between servers: each is a scenario, and its effect is visible on the wire."""

import re

import pytest

from apps.sandbox import scenarios
from apps.sandbox.switches.lawful import LAWFUL_SCENARIOS
from tests.sandbox.smart.literal import WILLOW, authorize, sent_back

pytestmark = pytest.mark.django_db

ROOT = f"/b/myrecord/r4/{WILLOW}"
OPEN = f"/b/open/r4/{WILLOW}"
OFFLINE = "launch/patient patient/Patient.read patient/Observation.read offline_access"


@pytest.fixture
def refresh(post_token):
    def refresh(refresh_token):
        return post_token({"grant_type": "refresh_token", "refresh_token": refresh_token})

    return refresh


class TestEveryLawfulDifference:
    def test_is_a_scenario_by_name_and_not_the_usual(self):
        for name, scenario in LAWFUL_SCENARIOS.items():
            assert scenarios.play(name) is scenario
            assert scenarios.differing()
            scenarios.reset()

    def test_is_offered_on_the_start_page_once_a_group(self, client):
        identities = re.findall(r'id="([^"]+)"', client.get("/").content.decode())
        assert len(identities) == len(set(identities))
        assert {f"lawful-says-{name}" for name in LAWFUL_SCENARIOS} <= set(identities)


class TestTokens:
    @pytest.mark.conformance("X46")
    def test_rotate_always(self, exchange, refresh):
        scenarios.play("always-rotating")
        first = exchange(scope=OFFLINE).json()["refresh_token"]
        second = refresh(first).json()["refresh_token"]
        third = refresh(second).json()["refresh_token"]
        assert len({first, second, third}) == 3
        assert refresh(first).json()["error"] == "invalid_grant"
        assert refresh(third).json()["error"] == "invalid_grant"  # the whole grant ended

    def test_are_bearer_in_lower_case(self, exchange):
        scenarios.play("bearer-in-lower-case")
        assert exchange().json()["token_type"] == "bearer"

    def test_come_without_the_patient(self, exchange):
        scenarios.play("patient-kept-back")
        assert "patient" not in exchange().json()

    def test_come_from_the_older_address(self, client, exchange):
        scenarios.play("older-token-address")
        address = client.get(f"{ROOT}/.well-known/smart-configuration").json()["token_endpoint"]
        assert "/hosts/" not in address
        assert exchange(address=address.removeprefix("http://testserver")).status_code == 200


class TestARequestForAccess:
    def test_needs_a_code_challenge(self, client, phone):
        scenarios.play("pkce-needed")
        assert sent_back(client.get(authorize()))["error"] == "invalid_request"
        challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  # RFC 7636 appendix B
        page = client.get(authorize(code_challenge=challenge, code_challenge_method="S256"))
        assert page.status_code == 200

    @pytest.mark.parametrize(("state", "is_refused"), [("a" * 15, True), ("a" * 16, False)])
    def test_needs_a_state_of_sixteen_characters(self, client, phone, state, is_refused):
        scenarios.play("long-state")
        assert (client.get(authorize(state=state)).status_code == 302) is is_refused

    def test_needs_the_closing_slash_of_the_root(self, client, phone):
        scenarios.play("slashes-matter")
        assert client.get(authorize()).status_code == 200
        assert sent_back(client.get(authorize(aud=f"http://testserver{ROOT}")))["error"] == "invalid_request"

    def test_is_given_offline_access_for_a_prompt_alone(self, exchange):
        scenarios.play("offline-needs-prompt")
        assert "refresh_token" not in exchange(scope=OFFLINE).json()
        assert "refresh_token" in exchange(scope=OFFLINE, prompt="consent").json()

    def test_is_answered_with_the_issuer(self, allow, phone):
        scenarios.play("issuer-in-answers")
        assert allow()["iss"] == f"http://testserver/b/authorization/tenants/{WILLOW}"


class TestARefusal:
    @pytest.mark.parametrize(
        ("address", "status"),
        [(f"{ROOT}/Patient/x", 401), (f"{OPEN}/nothing/at/all", 404), (f"{ROOT}/metadata?_format=%00", 400)],
    )
    def test_has_nothing_in_it(self, client, two_tenants, address, status):
        scenarios.play("empty-refusals")
        response = client.get(address)
        assert (response.status_code, response.content) == (status, b"")

    def test_of_the_token_address_has_nothing_in_it(self, post_token, phone):
        scenarios.play("empty-refusals")
        response = post_token({"grant_type": "authorization_code", "code": "x", "client_id": "phone"})
        assert (response.status_code, response.content) == (400, b"")

    def test_for_want_of_a_scope_has_nothing_in_it(self, client, exchange):
        scenarios.play("empty-refusals")
        token = exchange().json()["access_token"]
        response = client.get(f"{ROOT}/Condition?patient=r-ada", headers={"Authorization": f"Bearer {token}"})
        assert (response.status_code, response.content) == (403, b"")

    @pytest.mark.parametrize("scenario", ["plain-text-refusals", "bare-refusals"])
    @pytest.mark.parametrize(("address", "status"), [(f"{ROOT}/Patient/x", 401), (f"{OPEN}/nothing/at/all", 404)])
    def test_is_a_line_of_plain_text(self, client, two_tenants, scenario, address, status):
        scenarios.play(scenario)
        response = client.get(address)
        assert response.status_code == status
        assert response["Content-Type"].startswith("text/plain")
        assert response.content


class TestARoot:
    def test_speaks_plain_json(self, client, two_tenants):
        scenarios.play("plain-json")
        assert client.get(f"{ROOT}/metadata")["Content-Type"].split(";")[0] == "application/json"

    def test_has_no_smart_configuration(self, client, two_tenants):
        scenarios.play("metadata-alone")
        assert client.get(f"{ROOT}/.well-known/smart-configuration").status_code == 404
        assert b"oauth-uris" in client.get(f"{ROOT}/metadata").content

    @pytest.mark.parametrize("parameter", ["_count=5", "_revinclude=Provenance:target"])
    def test_refuses_parameters_it_can_do_without(self, client, exchange, parameter):
        token = exchange().json()["access_token"]
        headers = {"Authorization": f"Bearer {token}"}
        address = f"{ROOT}/Observation?patient=r-ada&category=laboratory"
        scenarios.play("strict-searches")
        assert client.get(address, headers=headers).status_code == 200
        assert client.get(f"{address}&{parameter}", headers=headers).status_code == 400

    @pytest.mark.conformance("X33")
    def test_lies_deep_and_then_there_alone(self, client, exchange):
        scenarios.play("deep-roots")
        deep = f"{ROOT}/interop/api/fhir"
        token = exchange(aud=f"http://testserver{deep}/").json()["access_token"]
        headers = {"Authorization": f"Bearer {token}"}
        assert client.get(f"{deep}/metadata").status_code == 200
        assert client.get(f"{deep}/.well-known/smart-configuration").status_code == 200
        bundle = client.get(f"{deep}/Observation?patient=r-ada&category=laboratory", headers=headers).json()
        assert bundle["link"][0]["url"].startswith(f"http://testserver{deep}/Observation?")
        assert client.get(f"{ROOT}/metadata").status_code == 404
        assert client.get(f"{ROOT}/Observation?patient=r-ada", headers=headers).status_code == 404
        assert sent_back(client.get(authorize()))["error"] == "invalid_request"
        scenarios.reset()
        assert client.get(f"{deep}/metadata").status_code == 404
        assert sent_back(client.get(authorize(aud=f"http://testserver{deep}/")))["error"] == "invalid_request"

    def test_writes_relative_addresses_that_lead_to_the_same(self, client, two_tenants):
        usual = client.get(f"{ROOT}/.well-known/smart-configuration").json()["authorization_endpoint"]
        scenarios.play("deep-roots")
        scenarios.play("relative-addresses")
        told = client.get(f"{ROOT}/interop/api/fhir/.well-known/smart-configuration").json()["authorization_endpoint"]
        assert told.startswith("../../../../../../authorization/tenants/")
        assert usual.endswith(told.removeprefix("../../../../../.."))
