"""Discovery by the SMART configuration, below the root (interface facts 3.3)."""

import pytest

from apps.sandbox import scenarios
from tests.sandbox.smart.literal import WILLOW

ROOT = f"/b/myrecord/r4/{WILLOW}"
TENANT = f"http://testserver/b/authorization/tenants/{WILLOW}"
PAIRS = (
    ("authorize", "authorization_endpoint"),
    ("token", "token_endpoint"),
    ("revoke", "revocation_endpoint"),
    ("introspect", "introspection_endpoint"),
    ("manage", "management_endpoint"),
)


@pytest.fixture
def told(client, two_tenants):
    """The document."""

    def told(root=ROOT):
        answer = client.get(f"{root}/.well-known/smart-configuration", headers={"Accept": "text/html"})
        assert answer.status_code == 200
        assert answer["Content-Type"] == "application/json"
        return answer.json()

    return told


@pytest.fixture
def in_metadata(client, two_tenants):
    """What the oauth-uris extension of the same root says."""

    def in_metadata():
        (rest,) = client.get(f"{ROOT}/metadata").json()["rest"]
        return {one["url"]: one["valueUri"] for one in rest["security"]["extension"][0]["extension"]}

    return in_metadata


class TestSmartConfiguration:
    @pytest.mark.conformance("X29")
    def test_says_what_metadata_says(self, told, in_metadata):
        configuration, extension = told(), in_metadata()
        assert configuration["authorization_endpoint"] == (
            f"{TENANT}/protocols/oauth2/profiles/smart-v1/personas/patient/authorize"
        )
        assert {name: configuration[member] for name, member in PAIRS} == extension

    @pytest.mark.conformance("X29")
    def test_stands_after_the_path_and_nowhere_else(self, client, told):
        assert told(f"/b/ehr/dstu2/{WILLOW}")["token_endpoint"].endswith(
            "/hosts/ehr/protocols/oauth2/profiles/smart-v1/token"
        )
        assert client.get(f"/.well-known/smart-configuration{ROOT}").status_code == 404
        assert client.get("/b/authorization/.well-known/openid-configuration").status_code == 404

    def test_has_what_smart_demands(self, told):
        configuration = told()
        assert configuration["issuer"] == TENANT
        assert configuration["jwks_uri"] == "http://testserver/b/authorization/jwk"
        assert configuration["response_types_supported"] == ["code"]
        assert configuration["code_challenge_methods_supported"] == ["S256"]
        assert "authorization_code" in configuration["grant_types_supported"]
        assert set(configuration["token_endpoint_auth_signing_alg_values_supported"]) == {"RS384", "ES384"}
        assert {"launch-standalone", "launch-ehr", "permission-v1", "permission-v2", "sso-openid-connect"} <= set(
            configuration["capabilities"]
        )

    def test_differs_by_who_signs_in(self, told):
        patients, clinicians = told(), told(f"/b/ehr/r4/{WILLOW}")
        assert "context-standalone-patient" in patients["capabilities"]
        assert "context-standalone-patient" not in clinicians["capabilities"]
        assert "context-ehr-encounter" in clinicians["capabilities"]
        assert "launch/patient" in patients["scopes_supported"]
        assert "launch/patient" not in clinicians["scopes_supported"]
        assert "management_endpoint" not in clinicians

    def test_lists_scopes_of_both_grammars_for_types_that_are_served(self, told):
        scopes = set(told()["scopes_supported"])
        assert {"patient/Observation.read", "patient/Observation.rs", "user/Organization.read"} <= scopes
        assert not {"patient/Organization.read", "patient/Appointment.read", "patient/MedicationOrder.read"} & scopes
        assert not [
            scope for scope in scopes if "*" in scope or scope.endswith(".write") or scope.startswith("system/")
        ]

    @pytest.mark.conformance("X29")
    @pytest.mark.parametrize(
        ("way", "in_configuration", "in_extension"),
        [
            ("older-token", f"{TENANT}/hosts/myrecord/protocols", f"{TENANT}/protocols"),
            ("foreign-metadata", "http://testserver/", "https://elsewhere.example/"),
            ("foreign-configuration", "https://elsewhere.example/", "http://testserver/"),
        ],
    )
    def test_differs_from_metadata_when_switched(self, told, in_metadata, way, in_configuration, in_extension):
        scenarios.choose("discovery_agreement", way)
        assert told()["token_endpoint"].startswith(in_configuration)
        assert in_metadata()["token"].startswith(in_extension)

    @pytest.mark.parametrize(
        ("way", "status"), [("absent", 404), ("unauthorized", 401), ("forbidden", 403), ("html", 200)]
    )
    def test_is_absent_in_the_ways_servers_were_seen_to_lack_it(self, client, two_tenants, way, status):
        scenarios.choose("well_known", way)
        answer = client.get(f"{ROOT}/.well-known/smart-configuration")
        assert answer.status_code == status
        assert b"authorization_endpoint" not in answer.content
        assert client.get(f"{ROOT}/metadata").status_code == 200

    def test_is_absent_at_the_open_host(self, client, two_tenants):
        assert client.get(f"/b/open/r4/{WILLOW}/.well-known/smart-configuration").status_code == 404

    @pytest.mark.conformance("X65")
    @pytest.mark.parametrize(
        ("switch", "announced"), [("off", None), ("on", True), ("announced-only", True), ("unannounced", None)]
    )
    def test_announces_the_issuer_in_answers_when_it_comes(self, told, switch, announced):
        scenarios.choose("issuer_in_answers", switch)
        assert told().get("authorization_response_iss_parameter_supported") is announced

    def test_names_no_challenge_method_where_challenges_are_ignored(self, told):
        scenarios.choose("pkce", "ignored")
        assert "code_challenge_methods_supported" not in told()

    def test_gives_addresses_relative_to_the_root_when_switched(self, told):
        scenarios.choose("discovered_addresses", "from-root")
        assert told()["token_endpoint"] == (
            f"../../../authorization/tenants/{WILLOW}/hosts/myrecord/protocols/oauth2/profiles/smart-v1/token"
        )
