"""Discovery, with literal documents from a recording server: everything they state is used, nothing is guessed."""

import json

import pytest

from apps.wire import discovery
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.discovery import Discovered, DiscoverySource, SmartConfiguration
from apps.wire.errors import AddressFault, Code, EndpointMisconfigured, Throttled, Unavailable, UnsafeAddress
from apps.wire.fhir import FhirServer
from config import env
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
WELL_KNOWN = "/fhir/r4/a-tenant/.well-known/smart-configuration"
METADATA = "/fhir/r4/a-tenant/metadata"

# Every field of SMART App Launch 2.2 that we read.
CONFIGURATION = {
    "issuer": "https://authorization.example/tenants/a-tenant",
    "jwks_uri": "https://authorization.example/jwk",
    "authorization_endpoint": "https://authorization.example/tenants/a-tenant/personas/patient/authorize",
    "token_endpoint": "https://authorization.example/tenants/a-tenant/hosts/fhir.example/token",
    "grant_types_supported": ["authorization_code", "client_credentials"],
    "token_endpoint_auth_methods_supported": ["client_secret_basic", "private_key_jwt"],
    "token_endpoint_auth_signing_alg_values_supported": ["RS384", "ES384"],
    "scopes_supported": ["openid", "patient/Goal.read", "patient/Goal.rs", "openid"],
    "response_types_supported": ["code"],
    "management_endpoint": "https://authorization.example/tenants/a-tenant/my-authorizations",
    "introspection_endpoint": "https://authorization.example/tokeninfo",
    "revocation_endpoint": "https://authorization.example/tenants/a-tenant/token/revoke",
    "code_challenge_methods_supported": ["S256"],
    "authorization_response_iss_parameter_supported": True,
    "capabilities": ["launch-ehr", "launch-standalone", "sso-openid-connect"],
}

DSTU2 = """
{"resourceType": "Conformance", "fhirVersion": "1.0.2", "kind": "instance", "acceptUnknown": "no",
 "rest": [{"mode": "server", "security": {"cors": true, "service": [{"coding": [{"code": "SMART-on-FHIR"}]}],
  "extension": [{"url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris", "extension": [
   {"url": "token", "valueUri": "https://login.example/token"},
   {"url": "authorize", "valueUri": "https://login.example/personas/patient/authorize"},
   {"url": "manage", "valueUri": "https://login.example/my-authorizations"}]}]}}]}
"""
R4 = """
{"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "kind": "instance", "status": "active",
 "rest": [{"mode": "server", "security": {
  "extension": [{"extension": [
   {"valueUri": "https://login.example/personas/patient/authorize", "url": "authorize"},
   {"url": "introspect", "valueUri": "https://login.example/tokeninfo"},
   {"url": "revoke", "valueUri": "https://login.example/token/revoke"},
   {"url": "register", "valueUri": "https://login.example/register"},
   {"url": "manage", "valueUri": "https://login.example/my-authorizations"},
   {"url": "token", "valueUri": "https://login.example/token"}],
   "url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"}]}}]}
"""
OAUTH_URIS = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"
BOTH = [
    {"url": "authorize", "valueUri": "https://login.example/authorize"},
    {"url": "token", "valueUri": "https://login.example/token"},
]


def extension(*inner, url=OAUTH_URIS):
    return {"url": url, "extension": list(inner or BOTH)}


def rest(*extensions, **members):
    return {"mode": "server", "security": {"extension": list(extensions)}, **members}


def statement(*members):
    return {"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": list(members)}


def home(server, base="/fhir/r4/a-tenant", *, version=FhirVersion.R4, policy=LOOPBACK):
    return FhirServer(server.url(base), version, DIALECTS["smart"], policy)


def documents(well_known=None, metadata=None):
    """A server's two documents, each an answer, something for JSON, or absent."""

    def answer(request):
        found = {WELL_KNOWN: well_known, METADATA: metadata}.get(request.target)
        found = http(404, b"not here", "text/plain") if found is None else found
        yield found if isinstance(found, bytes) else http(200, found)

    return answer


def discovered(well_known=None, metadata=None, **kwargs) -> Discovered:
    with serving(documents(well_known, metadata)) as server:
        return discovery.discover(home(server, **kwargs))


def failed(kind, well_known=None, metadata=None):
    with pytest.raises(kind) as failure:
        discovered(well_known, metadata)
    assert (failure.value.__cause__, failure.value.__context__) == (None, None)
    assert type(failure.value) is kind
    return failure.value


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
                signing_algorithms=frozenset({"RS384", "ES384"}),
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


class TestAnAddress:
    @pytest.mark.conformance("C20")
    @pytest.mark.parametrize(
        ("written", "below"),
        [
            ("oauth2/token", "/fhir/r4/a-tenant/oauth2/token"),
            ("./token", "/fhir/r4/a-tenant/token"),
            ("../token", "/fhir/r4/token"),
            ("/oauth2/token", "/oauth2/token"),
            ("?grant", "/fhir/r4/a-tenant/?grant"),
        ],
    )
    @pytest.mark.parametrize("base", ["/fhir/r4/a-tenant", "/fhir/r4/a-tenant/"])
    def test_that_is_relative_starts_at_the_fhir_base_url(self, written, below, base):
        stated = {"authorization_endpoint": "https://login.example/authorize", "token_endpoint": written}
        with serving(documents(stated)) as server:
            found = discovery.discover(home(server, base))
            assert found.configuration.token_url == server.url(below)
        inner = [BOTH[0], {"url": "token", "valueUri": written}]
        with serving(documents(None, statement(rest(extension(*inner))))) as server:
            found = discovery.discover(home(server, base))
            assert found.configuration.token_url == server.url(below)

    UNSAFE = [
        ("http://login.example/token", AddressFault.SCHEME),
        ("http://10.0.0.1/token", AddressFault.SCHEME),
        ("https://10.0.0.1/token", AddressFault.NOT_PUBLIC),
        ("https://127.0.0.1/token", AddressFault.NOT_PUBLIC),
        ("https://169.254.169.254/token", AddressFault.NOT_PUBLIC),
        ("https://localhost/token", AddressFault.HOST),
        ("https://login.example:8443/token", AddressFault.PORT),
        ("https://user@login.example/token", AddressFault.USER_INFORMATION),
        ("https://login.example/token#x", AddressFault.FRAGMENT),
        ("https://login.example/a/../token", AddressFault.PATH),
        ("https://login.example/to ken", AddressFault.CHARACTER),
        ("Replace this with mock URL for test", AddressFault.CHARACTER),
        ("https://[::1/token", AddressFault.HOST),
        ("javascript:alert(1)", AddressFault.SCHEME),
        ("//10.0.0.1/token", AddressFault.SCHEME),
        ("ftp://login.example/token", AddressFault.SCHEME),
        (7, AddressFault.CHARACTER),
        (["https://login.example/token"], AddressFault.CHARACTER),
        ({"url": "https://login.example/token"}, AddressFault.CHARACTER),
        (True, AddressFault.CHARACTER),
        ("https://login.example/" + "x" * 9000, AddressFault.LENGTH),
    ]

    @pytest.mark.parametrize(("written", "fault"), UNSAFE)
    def test_that_is_unsafe_is_refused_and_named(self, written, fault):
        stated = {"authorization_endpoint": "https://login.example/authorize", "token_endpoint": written}
        assert failed(UnsafeAddress, stated).fault is fault
        inner = [BOTH[0], {"url": "token", "valueUri": written}]
        assert failed(UnsafeAddress, None, statement(rest(extension(*inner)))).fault is fault

    @pytest.mark.parametrize(("written", "_fault"), UNSAFE)
    def test_that_is_unsafe_costs_the_deployment_nothing_where_it_is_optional(self, written, _fault):
        names = ["revocation_endpoint", "management_endpoint", "introspection_endpoint", "jwks_uri"]
        found = discovered({**CONFIGURATION, **dict.fromkeys(names, written)})
        assert found.refused == ("introspection_url", "jwks_url", "management_url", "revocation_url")
        assert found.configuration.revocation_url is None
        assert found.configuration.token_url == CONFIGURATION["token_endpoint"]

    def test_that_is_unsafe_in_one_document_leaves_the_other(self):
        stated = {**CONFIGURATION, "token_endpoint": "http://login.example/token"}
        found = discovered(stated, statement(rest(extension())))
        assert found.source is DiscoverySource.CAPABILITY_STATEMENT
        assert (found.refused, found.disagreements) == (("token_url",), ("authorize_url",))

    def test_at_a_port_that_staff_approved_is_taken(self):
        policy = AddressPolicy(True, frozenset({"https://login.example:8443"}))
        stated = {**CONFIGURATION, "token_endpoint": "https://login.example:8443/deep/path/token"}
        found = discovered(stated, policy=policy)
        assert found.configuration.token_url == "https://login.example:8443/deep/path/token"

    def test_of_plain_http_is_taken_on_loopback_only(self):
        stated = {
            "authorization_endpoint": "http://127.0.0.1:8900/authorize",
            "token_endpoint": "http://127.0.0.1:8900/token",
        }
        assert discovered(stated).configuration.token_url == "http://127.0.0.1:8900/token"


class TestTheOauthUrisExtension:
    @pytest.mark.conformance("C20")
    def test_is_found_among_others_and_in_the_member_that_is_a_server(self):
        found = discovered(
            metadata=statement(
                {"mode": "client", "security": {"extension": [extension(*_pair("https://client.example"))]}},
                rest({"url": "http://example.org/other", "valueString": "x"}, extension(), 7, None, {"url": 7}),
            )
        )
        assert found.configuration.authorize_url == "https://login.example/authorize"

    @pytest.mark.conformance("C20")
    def test_is_read_in_any_order(self):
        for inner in (BOTH, BOTH[::-1]):
            found = discovered(metadata=statement(rest(extension(*inner))))
            assert found.configuration.token_url == "https://login.example/token"

    @pytest.mark.parametrize(
        "url",
        [
            "http://FHIR-registry.smarthealthit.org/StructureDefinition/oauth-uris",
            "http://fhir-registry.smarthealthit.org/structuredefinition/OAuth-URIs",
        ],
    )
    def test_in_another_case_is_taken_if_it_is_the_only_one(self, url):
        assert discovered(metadata=statement(rest(extension(url=url)))).configuration.token_url

    def test_in_another_case_yields_to_the_exact_one(self):
        odd = extension(*_pair("https://odd.example"), url=OAUTH_URIS.upper())
        for pair in ([odd, extension()], [extension(), odd]):
            found = discovered(metadata=statement(rest(*pair)))
            assert found.configuration.token_url == "https://login.example/token"

    @pytest.mark.parametrize("second", [OAUTH_URIS.upper(), OAUTH_URIS.replace("oauth", "OAuth")])
    def test_in_another_case_is_not_chosen_among_several(self, second):
        pair = [extension(url=OAUTH_URIS.upper()), extension(url=second)]
        assert failed(EndpointMisconfigured, None, statement(rest(*pair))).code is Code.NO_SMART_CONFIGURATION

    def test_in_another_case_is_not_taken_with_an_unsafe_address(self):
        inner = [*BOTH, {"url": "manage", "valueUri": "http://login.example/manage"}]
        failed(EndpointMisconfigured, None, statement(rest(extension(*inner, url=OAUTH_URIS.upper()))))
        assert discovered(metadata=statement(rest(extension(*inner)))).refused == ("management_url",)

    @pytest.mark.parametrize(
        "url",
        [
            "http://fhir-registry.smarthealthit.org/some/StructureDefinition/oauth-uris",
            "https://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris",
            "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris/",
            "oauth-uris",
            "",
        ],
    )
    def test_by_any_other_name_is_another_extension(self, url):
        failed(EndpointMisconfigured, None, statement(rest(extension(url=url))))

    def test_that_speaks_twice_must_say_the_same(self):
        found = discovered(metadata=statement(rest(extension(), extension()), rest(extension())))
        assert found.configuration.token_url == "https://login.example/token"
        twice = [*BOTH, {"url": "token", "valueUri": "https://other.example/token"}]
        failed(EndpointMisconfigured, None, statement(rest(extension(*twice))))
        failed(EndpointMisconfigured, None, statement(rest(extension(), extension(*_pair("https://other.example")))))

    @pytest.mark.parametrize(
        "body",
        [
            {"resourceType": "Patient", "rest": [rest(extension())]},
            {"rest": [rest(extension())]},
            {"resourceType": "CapabilityStatement", "rest": rest(extension())},
            {"resourceType": "CapabilityStatement", "rest": [{"security": [extension()]}]},
            {"resourceType": "CapabilityStatement", "rest": [{"security": {"extension": extension()}}]},
            {"resourceType": "CapabilityStatement", "rest": [{"security": {"extension": "x"}}]},
            statement({"mode": "client", "security": {"extension": [extension()]}}),
            statement(rest({"url": OAUTH_URIS, "extension": {"url": "token", "valueUri": "https://a.example/"}})),
            statement(rest({"url": OAUTH_URIS, "valueUri": "https://a.example/"})),
            statement(rest(extension({"url": "Token", "valueUri": "https://a.example/"}, BOTH[0]))),
            statement(rest(extension({"url": "token", "valueUri": None}, BOTH[0]))),
        ],
    )
    def test_of_the_wrong_shape_states_nothing(self, body):
        failed(EndpointMisconfigured, None, body)


class TestASmartConfiguration:
    def test_tells_no_pkce_from_pkce_unsaid(self):
        def methods(**members):
            plain = {name: url for name, url in CONFIGURATION.items() if name != "code_challenge_methods_supported"}
            return discovered({**plain, **members}).configuration.pkce_methods

        assert methods() is None
        assert methods(code_challenge_methods_supported=None) is None
        assert methods(code_challenge_methods_supported="S256") is None
        assert methods(code_challenge_methods_supported=[]) == frozenset()
        assert methods(code_challenge_methods_supported=["S256", 7, "plain"]) == {"S256", "plain"}

    @pytest.mark.parametrize(
        ("said", "names_issuer"), [(True, True), (False, False), ("true", False), (1, False), (None, False)]
    )
    def test_promises_an_issuer_only_where_it_says_so(self, said, names_issuer):
        found = discovered({**CONFIGURATION, "authorization_response_iss_parameter_supported": said})
        assert found.configuration.names_issuer is names_issuer

    @pytest.mark.parametrize(
        ("written", "issuer"),
        [
            ("https://login.example/oidc/idsps/x/", "https://login.example/oidc/idsps/x/"),
            ("https://LOGIN.example", "https://LOGIN.example"),
            (
                "https://login.example/x/.well-known/openid-configuration",
                "https://login.example/x/.well-known/openid-configuration",
            ),
            ("relative", None),
            ("http://login.example/", None),
            ("https://login.example/#", None),
            (["https://login.example/"], None),
            (7, None),
            (None, None),
        ],
    )
    def test_has_its_issuer_as_written_or_not_at_all(self, written, issuer):
        found = discovered({**CONFIGURATION, "issuer": written})
        assert found.configuration.issuer == issuer
        assert ("issuer" in found.refused) == (issuer is None and written is not None)

    @pytest.mark.parametrize("odd", [None, "openid", 7, {}, [[]], [None], ["a b"], ["\u00e9"], ["x" * 400], [{"a": 1}]])
    def test_passes_over_names_nobody_can_read(self, odd):
        found = discovered({**CONFIGURATION, "capabilities": odd, "scopes_supported": odd})
        assert found.configuration.capabilities == frozenset()
        assert found.configuration.scopes_supported == ()

    def test_is_not_flooded_with_names(self):
        found = discovered({**CONFIGURATION, "scopes_supported": [f"scope-{n}" for n in range(50_000)]})
        assert len(found.configuration.scopes_supported) == 2_000

    @pytest.mark.parametrize("prefix", [b"\xef\xbb\xbf", b" \n"])
    @pytest.mark.parametrize("content_type", ["text/plain", "text/html", "application/fhir+json", ""])
    def test_is_read_whatever_its_header_claims(self, prefix, content_type):
        body = prefix + json.dumps(CONFIGURATION).encode()
        assert discovered(http(200, body, content_type)).source is DiscoverySource.SMART_CONFIGURATION


def _pair(origin):
    return [
        {"url": "authorize", "valueUri": f"{origin}/authorize"},
        {"url": "token", "valueUri": f"{origin}/token"},
    ]


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
