"""Discovery, with literal documents from a recording server: everything they state is used, and nothing is guessed."""

import pytest

from apps.wire import discovery
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import FhirVersion
from apps.wire.discovery import Discovered, DiscoverySource, SmartConfiguration
from apps.wire.errors import AddressFault, Code, EndpointMisconfigured, Throttled, Unavailable, UnsafeAddress
from config import env
from tests.wire.servers import http, serving
from tests.wire.smart_servers import (
    BOTH,
    CONFIGURATION,
    DSTU2,
    METADATA,
    R4,
    WELL_KNOWN,
    discovered,
    documents,
    extension,
    failed,
    home,
    rest,
    statement,
)


class TestDiscovery:
    @pytest.mark.conformance("C23")
    @pytest.mark.parametrize("base", ["/fhir/r4/a-tenant", "/fhir/r4/a-tenant/"])
    def test_asks_below_the_whole_base_url_for_json_and_without_a_token(self, base):
        with serving(documents(CONFIGURATION, R4)) as server:
            discovery.discover(home(server, base))
        assert [(request.method, request.target) for request in server.requests] == [
            ("GET", "/fhir/r4/a-tenant/.well-known/smart-configuration"),
            ("GET", "/fhir/r4/a-tenant/metadata"),
        ]
        assert [request.headers["accept"] for request in server.requests] == [
            "application/json",
            "application/fhir+json",
        ]
        assert not any("authorization" in request.headers for request in server.requests)

    @pytest.mark.conformance("C23")
    def test_reads_all_that_the_smart_configuration_states(self):
        assert discovered(CONFIGURATION) == Discovered(
            SmartConfiguration(
                authorize_url="https://authorization.example/tenants/a-tenant/personas/patient/authorize",
                token_url="https://authorization.example/tenants/a-tenant/hosts/fhir.example/token",
                revocation_url="https://authorization.example/tenants/a-tenant/token/revoke",
                management_url="https://authorization.example/tenants/a-tenant/my-authorizations",
                introspection_url="https://authorization.example/tokeninfo",
                issuer="https://authorization.example/tenants/a-tenant",
                jwks_url="https://authorization.example/jwk",
                capabilities=frozenset({"launch-ehr", "launch-standalone", "sso-openid-connect"}),
                scopes_supported=("openid", "patient/Goal.read", "patient/Goal.rs"),
                pkce_methods=frozenset({"S256"}),
                names_issuer=True,
            ),
            DiscoverySource.SMART_CONFIGURATION,
            disagreements=(),
        )

    @pytest.mark.conformance("C20")
    def test_reads_a_conformance_of_dstu2(self):
        assert discovered(metadata=http(200, DSTU2, "application/json+fhir"), version=FhirVersion.DSTU2) == Discovered(
            SmartConfiguration(
                authorize_url="https://login.example/personas/patient/authorize",
                token_url="https://login.example/token",
                management_url="https://login.example/my-authorizations",
            ),
            DiscoverySource.CAPABILITY_STATEMENT,
            disagreements=(),
        )

    @pytest.mark.conformance("C20")
    def test_reads_a_capability_statement_of_r4(self):
        found = discovered(metadata=http(200, R4, "application/fhir+json;charset=utf-8"))
        assert found.configuration == SmartConfiguration(
            authorize_url="https://login.example/personas/patient/authorize",
            token_url="https://login.example/token",
            revocation_url="https://login.example/token/revoke",
            management_url="https://login.example/my-authorizations",
            introspection_url="https://login.example/tokeninfo",
        )

    @pytest.mark.conformance("C24")
    def test_does_without_a_manage_address(self):
        assert discovered(metadata=statement(rest(extension()))).configuration.management_url is None
        found = discovered({name: url for name, url in CONFIGURATION.items() if name != "management_endpoint"})
        assert found.configuration.management_url is None

    @pytest.mark.conformance("C23")
    @pytest.mark.parametrize(
        "well_known",
        [
            None,
            http(401, {"error": "unauthorized"}),
            http(401, b"Unauthorized", "text/plain", WWW_Authenticate="Bearer"),
            http(403),
            http(404, b"<html>no</html>", "text/html"),
            http(400, {"resourceType": "OperationOutcome"}),
            http(406),
            http(410),
            http(401, CONFIGURATION),
            http(404, CONFIGURATION),
            http(203, CONFIGURATION),
            http(204),
            http(200, b"<html>Welcome</html>", "text/html"),
            http(200, b""),
            http(200, b"null"),
            http(200, b"[]"),
            http(200, b"{"),
            http(200, b"[" * 100_000),
            http(200, b'{"a":' * 100_000),
            http(200, {"error": "not found"}),
            http(200, {"resourceType": "OperationOutcome", "issue": []}),
            http(200, {"authorization_endpoint": "https://login.example/only"}),
            http(200, {"token_endpoint": "https://login.example/only"}),
            http(200, {**CONFIGURATION, "padding": "x" * 1_100_000}),
            http(302, b"", Location="https://login.example/"),
        ],
    )
    def test_falls_back_to_the_capability_statement(self, well_known):
        found = discovered(well_known, statement(rest(extension())))
        assert found.source is DiscoverySource.CAPABILITY_STATEMENT
        assert found.configuration.token_url == "https://login.example/token"
        assert found.configuration.authorize_url == "https://login.example/authorize"
        assert found.unavailable == ()

    def test_takes_the_two_addresses_as_a_pair(self):
        found = discovered({"token_endpoint": "https://elsewhere.example/token"}, statement(rest(extension())))
        assert found.configuration.token_url == "https://login.example/token"
        assert found.disagreements == ("token_url",)

    @pytest.mark.conformance("C23")
    def test_prefers_the_smart_configuration_and_names_what_differs(self):
        found = discovered(
            {
                "authorization_endpoint": "https://login.example/authorize",
                "token_endpoint": "https://login.example/hosts/fhir/token",
                "management_endpoint": "https://login.example/manage",
            },
            http(200, R4),
        )
        assert found.source is DiscoverySource.SMART_CONFIGURATION
        assert found.configuration.token_url == "https://login.example/hosts/fhir/token"
        assert found.configuration.management_url == "https://login.example/manage"
        assert found.disagreements == ("authorize_url", "management_url", "token_url")

    @pytest.mark.conformance("C23")
    @pytest.mark.parametrize(
        ("other", "disagreements"),
        [
            ("https://login.example/token", ()),
            ("https://LOGIN.example/token", ()),
            ("https://login.example:443/token", ()),
            ("https://login.example/token/", ("token_url",)),
            ("https://login.example/Token", ("token_url",)),
            ("https://login.example/token?", ("token_url",)),
            ("https://login.example/token?tenant=1", ("token_url",)),
            ("https://login2.example/token", ("token_url",)),
        ],
    )
    def test_sees_a_difference_only_where_there_is_one(self, other, disagreements):
        inner = [BOTH[0], {"url": "token", "valueUri": other}]
        found = discovered(
            {
                "authorization_endpoint": "https://login.example/authorize",
                "token_endpoint": "https://login.example/token",
            },
            statement(rest(extension(*inner))),
        )
        assert found.disagreements == disagreements

    def test_takes_what_only_one_of_the_two_states(self):
        found = discovered(
            {
                "authorization_endpoint": "https://login.example/personas/patient/authorize",
                "token_endpoint": "https://login.example/token",
                "code_challenge_methods_supported": ["S256"],
            },
            http(200, R4),
        )
        assert found.configuration.revocation_url == "https://login.example/token/revoke"
        assert found.configuration.pkce_methods == frozenset({"S256"})
        assert found.disagreements == ()

    @pytest.mark.conformance("C21")
    @pytest.mark.parametrize(
        ("well_known", "metadata"),
        [
            (None, None),
            (http(401), http(401)),
            (http(403), http(200, b"<html></html>", "text/html")),
            (None, statement(rest())),
            (None, statement()),
            (None, {**statement(rest(extension(*BOTH))), "resourceType": []}),
            (None, {**statement(rest(extension(*BOTH))), "resourceType": {"a": 1}}),
            ({}, statement(rest(extension(BOTH[0])))),
            ({"token_endpoint": "https://login.example/token"}, statement(rest(extension(BOTH[1])))),
            # each has one half: they are not put together
            (
                {"token_endpoint": "https://login.example/token"},
                statement(rest(extension(BOTH[0]))),
            ),
        ],
    )
    def test_stops_where_neither_says_enough_and_guesses_nothing(self, well_known, metadata):
        with serving(documents(well_known, metadata)) as server, pytest.raises(EndpointMisconfigured) as refused:
            discovery.discover(home(server))
        assert refused.value.code is Code.NO_SMART_CONFIGURATION
        assert [request.target for request in server.requests] == [WELL_KNOWN, METADATA]

    @pytest.mark.parametrize(
        ("status", "kind"), [(408, Unavailable), (429, Throttled), (500, Unavailable), (503, Unavailable)]
    )
    def test_does_not_know_where_a_server_is_ill(self, status, kind):
        assert failed(kind, http(status), http(status)).status == status
        assert failed(kind, http(status), None).status == status
        assert failed(kind, None, http(status)).status == status

    def test_says_which_document_it_could_not_ask(self):
        found = discovered(http(503), statement(rest(extension())))
        assert found.unavailable == (DiscoverySource.SMART_CONFIGURATION,)
        assert found.configuration.token_url == "https://login.example/token"
        found = discovered(CONFIGURATION, http(500))
        assert found.unavailable == (DiscoverySource.CAPABILITY_STATEMENT,)
        assert found.source is DiscoverySource.SMART_CONFIGURATION

    def test_asks_nobody_at_a_base_url_that_is_not_safe(self):
        with serving(documents(CONFIGURATION)) as server, pytest.raises(UnsafeAddress):
            discovery.discover(home(server, policy=AddressPolicy()))
        assert not server.requests


EXAMPLES = env.fhir_examples()


@pytest.mark.skipif(EXAMPLES is None, reason="FHIR_EXAMPLES is not set")
class TestARealDocument:
    def body(self, path):
        assert EXAMPLES is not None
        return http(200, (EXAMPLES / path).read_bytes())

    def test_of_a_multi_tenant_server_is_read(self):
        found = discovered(self.body("well-known/cerner-smart-configuration.json"))
        assert "permission-v2" in found.configuration.capabilities
        assert len(found.configuration.scopes_supported) > 100
        assert found.configuration.issuer is not None
        assert found.configuration.issuer.endswith("/.well-known/openid-configuration")

    @pytest.mark.parametrize("name", ["allscripts-fhirpoint", "cerner-patient", "cerner-sandbox", "epic-arden-health"])
    def test_of_dstu2_names_its_addresses(self, name):
        found = discovered(metadata=self.body(f"dstu2/conformance/{name}-conformance.json"))
        assert found.configuration.token_url.endswith("/token")
        assert (found.configuration.management_url is None) == (name != "cerner-patient")

    def test_with_a_note_in_the_place_of_an_address_is_refused(self):
        path = "r4/capability/cerner-sandbox-capabilitystatement.json"
        assert failed(UnsafeAddress, None, self.body(path)).fault is AddressFault.CHARACTER
