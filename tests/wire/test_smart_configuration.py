"""What each of a SMART server's two documents states: addresses, one by one, and what cannot be read."""

import json

import pytest

from apps.wire import discovery
from apps.wire.addresses import AddressPolicy
from apps.wire.discovery import DiscoverySource
from apps.wire.errors import AddressFault, Code, EndpointMisconfigured, UnsafeAddress
from tests.wire.servers import http, serving
from tests.wire.smart_servers import (
    BOTH,
    CONFIGURATION,
    OAUTH_URIS,
    discovered,
    documents,
    extension,
    failed,
    home,
    pair,
    rest,
    statement,
)


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
                {"mode": "client", "security": {"extension": [extension(*pair("https://client.example"))]}},
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
        odd = extension(*pair("https://odd.example"), url=OAUTH_URIS.upper())
        for both in ([odd, extension()], [extension(), odd]):
            found = discovered(metadata=statement(rest(*both)))
            assert found.configuration.token_url == "https://login.example/token"

    @pytest.mark.parametrize("second", [OAUTH_URIS.upper(), OAUTH_URIS.replace("oauth", "OAuth")])
    def test_in_another_case_is_not_chosen_among_several(self, second):
        both = [extension(url=OAUTH_URIS.upper()), extension(url=second)]
        assert failed(EndpointMisconfigured, None, statement(rest(*both))).code is Code.NO_SMART_CONFIGURATION

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
        failed(EndpointMisconfigured, None, statement(rest(extension(), extension(*pair("https://other.example")))))

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
