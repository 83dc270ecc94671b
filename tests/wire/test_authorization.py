"""Sending a person to authorize, and reading the authorization response."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from apps.wire import authorization
from apps.wire.errors import (
    AuthorizationDenied,
    ClientRejected,
    Code,
    EndpointMisconfigured,
    OrganizationNotEnabled,
    RequestRefused,
    Unavailable,
    UnexpectedAnswer,
    UnsafeAddress,
)
from apps.wire.secret import Secret

AUTHORIZE = "https://login.provider.example/patient-oauth/authorize"
STATE = Secret("a-state")


def built(authorize_url=AUTHORIZE, **kwargs):
    arguments: dict[str, Any] = {
        "client_id": "our-id",
        "redirect_uri": "https://us.example/back/1/",
        "state": STATE,
    } | kwargs
    return authorization.authorization_url(authorize_url=authorize_url, **arguments)


def parameters(url):
    return parse_qsl(urlsplit(url).query, keep_blank_values=True, strict_parsing=True)


class TestAPkceVerifier:
    def test_is_long_and_never_the_same(self):
        verifiers = {authorization.new_pkce_verifier().reveal() for _ in range(100)}
        assert len(verifiers) == 100
        assert all(re.fullmatch(r"[A-Za-z0-9._~-]{43,128}", verifier) for verifier in verifiers)

    def test_gives_the_challenge_of_the_standards_own_example(self):
        # RFC 7636 appendix B
        verifier = Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        assert authorization.pkce_challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


class TestAnAuthorizationUrl:
    def test_keeps_the_query_the_address_has(self):
        assert ("tenant", "a b") in parameters(built(AUTHORIZE + "?tenant=a%20b"))

    @pytest.mark.parametrize("name", ["client_id", "state", "redirect_uri", "response_type", "scope"])
    def test_refuses_an_address_that_already_holds_a_parameter_of_ours(self, name):
        with pytest.raises(EndpointMisconfigured):
            built(f"{AUTHORIZE}?{name}=")

    def test_carries_what_the_caller_gives_and_nothing_else(self):
        url = built(
            scope=("launch/patient", "patient/Observation.read"),
            aud="https://fhir.provider.example/r4/",
            launch="an & opaque=value",
            nonce="a-nonce",
            pkce_verifier=Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
        )
        assert sorted(parameters(url)) == [
            ("aud", "https://fhir.provider.example/r4/"),
            ("client_id", "our-id"),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"),
            ("launch", "an & opaque=value"),
            ("nonce", "a-nonce"),
            ("redirect_uri", "https://us.example/back/1/"),
            ("response_type", "code"),
            ("scope", "launch/patient patient/Observation.read"),
            ("state", "a-state"),
        ]

    def test_stays_plain_http_on_loopback(self):
        assert built("http://127.0.0.1:8900/a/r4/auth/authorize").startswith(
            "http://127.0.0.1:8900/a/r4/auth/authorize?"
        )

    def test_stays_on_its_port(self):
        assert built("https://login.provider.example:8443/authorize").startswith("https://login.provider.example:8443/")

    @pytest.mark.parametrize(
        "url", ["http://login.provider.example/authorize", "javascript:alert(1)", AUTHORIZE + "#x", "https://10.0.0.1/"]
    )
    def test_goes_nowhere_unsafe(self, url):
        with pytest.raises(UnsafeAddress):
            built(url)


class TestAnAuthorizationResponse:
    def test_with_a_code_holds_code_and_state(self):
        response = authorization.read_response({"code": ["a-code"], "state": ["a-state"], "session_state": ["x", "y"]})
        assert (response.code, response.state) == (Secret("a-code"), Secret("a-state"))
        assert (response.error, response.error_uri, response.issuer) == (None, None, None)

    def test_may_lack_the_state_which_is_the_callers_to_refuse(self):
        assert authorization.read_response({"code": ["a-code"]}).state is None

    def test_names_its_issuer(self):
        response = authorization.read_response({"code": ["c"], "state": ["s"], "iss": ["https://login.example/"]})
        assert response.issuer == "https://login.example/"

    def test_takes_a_code_of_sixteen_kibibytes(self):
        assert authorization.read_response({"code": ["c" * 16_384], "state": ["s"]}).code == Secret("c" * 16_384)

    @pytest.mark.parametrize(
        "query",
        [
            {},
            {"state": ["s"]},
            {"code": [""], "state": ["s"]},
            {"code": ["a"], "error": ["access_denied"], "state": ["s"]},
            {"code": ["a", "b"], "state": ["s"]},
            {"code": ["a"], "state": ["s", "s"]},
            {"error": ["access_denied", "access_denied"], "state": ["s"]},
            {"code": ["a"], "iss": ["x", "y"]},
            {"code": ["a\0"], "state": ["s"]},
            {"code": ["a"], "state": ["s\n"]},
            {"code": ["\ud800"], "state": ["s"]},
            {"code": ["c\u00f6de"], "state": ["s"]},
            {"code": ["a" * 70_000], "state": ["s"]},
            {"code": ["a"], "state": ["s" * 70_000]},
        ],
    )
    def test_is_refused_where_it_is_malformed(self, query):
        with pytest.raises(RequestRefused) as refused:
            authorization.read_response(query)
        assert refused.value.code is Code.MALFORMED_RESPONSE

    def test_shows_a_page_about_the_error_only_on_the_authorization_host(self):
        def page(uri, **kwargs):
            query = {"error": ["access_denied"], "state": ["s"], "error_uri": [uri]}
            return authorization.read_response(query, **kwargs).error_uri

        good = "https://login.provider.example/errors/urn%3Ax/instances/1"
        assert page(good, authorize_url=AUTHORIZE) == good
        assert page(good) is None
        assert page("https://evil.example/", authorize_url=AUTHORIZE) is None


class TestTheIssuerOfAResponse:
    HONEST = "https://login.provider.example/tenants/a"

    def check(self, named, *, expected=HONEST, is_required=False, answer="code"):
        query = {answer: ["invalid_request"], "state": ["s"]} | ({} if named is None else {"iss": [named]})
        authorization.check_issuer(authorization.read_response(query), expected, is_required=is_required)

    @pytest.mark.parametrize("is_required", [True, False])
    def test_is_the_one_we_asked(self, is_required):
        self.check(self.HONEST, is_required=is_required)

    def test_may_be_missing_where_none_was_promised(self):
        self.check(None)
        self.check(None, expected=None)
        self.check("", expected=None)

    @pytest.mark.conformance("C31")
    @pytest.mark.parametrize("answer", ["code", "error"])
    @pytest.mark.parametrize("is_required", [True, False])
    @pytest.mark.parametrize(
        "named", [HONEST + "/", HONEST.upper(), HONEST[:-1], HONEST + "?", "https://x.example", "a"]
    )
    def test_is_refused_where_it_is_another(self, named, is_required, answer):
        with pytest.raises(UnexpectedAnswer) as refused:
            self.check(named, is_required=is_required, answer=answer)
        assert refused.value.code is Code.WRONG_ISSUER

    @pytest.mark.conformance("C31")
    @pytest.mark.parametrize("expected", [HONEST, None])
    @pytest.mark.parametrize("answer", ["code", "error"])
    @pytest.mark.parametrize("named", [None, ""])
    def test_is_refused_where_it_is_missing_and_was_promised(self, named, answer, expected):
        with pytest.raises(UnexpectedAnswer) as refused:
            self.check(named, expected=expected, is_required=True, answer=answer)
        assert refused.value.code is Code.WRONG_ISSUER

    @pytest.mark.conformance("C31")
    @pytest.mark.parametrize("is_required", [True, False])
    def test_is_refused_where_there_is_nothing_to_compare_it_with(self, is_required):
        with pytest.raises(UnexpectedAnswer):
            self.check(self.HONEST, expected=None, is_required=is_required)


class TestARefusal:
    @pytest.mark.conformance("C48")
    @pytest.mark.parametrize(
        ("error", "kind", "code"),
        [
            ("access_denied", AuthorizationDenied, Code.ACCESS_DENIED),
            ("login_required", AuthorizationDenied, Code.LOGIN_REQUIRED),
            ("consent_required", AuthorizationDenied, Code.CONSENT_REQUIRED),
            ("interaction_required", AuthorizationDenied, Code.INTERACTION_REQUIRED),
            ("account_selection_required", AuthorizationDenied, Code.ACCOUNT_SELECTION_REQUIRED),
            ("unauthorized_client", OrganizationNotEnabled, Code.UNAUTHORIZED_CLIENT),
            ("invalid_client", ClientRejected, Code.INVALID_CLIENT),
            ("invalid_target", ClientRejected, Code.INVALID_TARGET),
            ("invalid_request", RequestRefused, Code.INVALID_REQUEST),
            ("invalid_scope", RequestRefused, Code.INVALID_SCOPE),
            ("unsupported_response_type", RequestRefused, Code.UNSUPPORTED_RESPONSE_TYPE),
            ("server_error", Unavailable, Code.SERVER_ERROR),
            ("temporarily_unavailable", Unavailable, Code.TEMPORARILY_UNAVAILABLE),
            ("bad_audience", UnexpectedAnswer, Code.UNRECOGNIZED),
            ("<script>", UnexpectedAnswer, Code.UNRECOGNIZED),
            ("timed_out", UnexpectedAnswer, Code.UNRECOGNIZED),
        ],
    )
    def test_is_an_error_by_who_must_act(self, error, kind, code):
        refusal = authorization.refusal(authorization.read_response({"error": [error], "state": ["s"]}))
        assert (type(refusal), refusal.code) == (kind, code)
