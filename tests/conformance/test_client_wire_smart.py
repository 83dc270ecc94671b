"""The client's part of the conformance lists, as far as it is visible on the wire of interface B.

Expectations are literal requests written down from the specification (section numbers beside them); a server on bare
sockets recorded what really arrived. Nothing of the product is used to build them.
"""

import base64
import json
from datetime import UTC, datetime

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from apps.wire import authorization, token_endpoint
from apps.wire.addresses import AddressPolicy
from apps.wire.client_authentication import Authentication, Client, SigningAlgorithm, SigningKey
from apps.wire.dialects import DIALECTS
from apps.wire.errors import AuthorizationExpired, ClientRejected, UnexpectedAnswer
from apps.wire.secret import Secret
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
BACK = "https://holdfast.example/back/7f3a/"
BACK_ENCODED = "https%3A%2F%2Fholdfast.example%2Fback%2F7f3a%2F"
TOKEN_PATH = "/tenants/-a/hosts/fhir.example/protocols/oauth2/profiles/smart-v1/token"
NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
# Specification 2.3, every field.
ANSWER = {
    "access_token": "eyJ.the-access.token", "token_type": "Bearer", "scope": "launch/patient patient/Goal.read openid",
    "expires_in": 570, "patient": "12724066", "encounter": "97953477", "refresh_token": "the-refresh-token",
    "id_token": "eyJ.the-id.token",
}  # fmt: skip
EC = ECKey.generate_key("P-384")
RSA = RSAKey.generate_key(2048)


def client(authentication, *, secret=None, key=None, algorithm=SigningAlgorithm.ES384):
    signing = SigningKey("our-key-1", algorithm, Secret(json.dumps(key.as_dict(private=True)))) if key else None
    return Client("client 7:+", Secret(secret) if secret else None, authentication, signing)


PUBLIC = client(Authentication.NONE)
BASIC = client(Authentication.BASIC, secret="s3cret/+&=% :")
BODY = client(Authentication.BODY, secret="s3cret/+&=% :")
ASSERTION = client(Authentication.PRIVATE_KEY_JWT, key=EC)
EVERY_CLIENT = [PUBLIC, BASIC, BODY, ASSERTION]


def endpoint(server, who):
    return token_endpoint.TokenEndpoint(
        server.url(TOKEN_PATH), who, DIALECTS["smart"], LOOPBACK, revocation_url=server.url(TOKEN_PATH + "/revoke")
    )


def exchanged(who, answer=None, **kwargs):
    """The one request of an exchange, and the tokens that came of it."""
    with serving(http(200, answer or ANSWER)) as server:
        tokens = token_endpoint.exchange(
            endpoint(server, who), code=Secret("c0de/+"), redirect_uri=BACK, state=Secret("st4te-_"), at=NOW, **kwargs
        )
    (request,) = server.requests
    return request, tokens


def refreshed(who, answer=None):
    with serving(http(200, answer or ANSWER)) as server:
        token_endpoint.refresh(endpoint(server, who), refresh_token=Secret("r3fresh/+"), at=NOW)
    (request,) = server.requests
    return request


def split(request):
    """The encoded fields of a form, undecoded."""
    return sorted(request.body.decode().split("&"))


class TestTheAuthorizationUrl:
    @pytest.mark.conformance("C25", "C33")
    @pytest.mark.parametrize("root", ["https://fhir.example/r4/-a", "https://fhir.example/r4/-a/"])
    def test_holds_what_the_specification_names_each_once(self, root):
        """S2, with the audience under its name on the wire, exactly as configured."""
        url = authorization.authorization_url(
            authorize_url="https://authorization.example/tenants/-a/personas/patient/authorize",
            client_id="client 7:+",
            redirect_uri=BACK,
            state=Secret("st4te-_"),
            scope=["launch/patient", "patient/Goal.read"],
            aud=root,
        )
        path, _, query = url.partition("?")
        assert path == "https://authorization.example/tenants/-a/personas/patient/authorize"
        assert sorted(query.split("&")) == [
            "aud=https%3A%2F%2Ffhir.example%2Fr4%2F-a" + ("%2F" if root.endswith("/") else ""),
            "client_id=client+7%3A%2B",
            f"redirect_uri={BACK_ENCODED}",
            "response_type=code",
            "scope=launch%2Fpatient+patient%2FGoal.read",
            "state=st4te-_",
        ]

    def test_holds_a_prompt_where_one_is_asked_for(self):
        url = authorization.authorization_url(
            authorize_url="https://authorization.example/authorize",
            client_id="client-7",
            redirect_uri=BACK,
            state=Secret("s"),
            scope="offline_access",
            prompt="consent",
        )
        assert "prompt=consent" in url.partition("?")[2].split("&")


class TestTheExchange:
    @pytest.mark.conformance("C32", "C33", "C34")
    def test_of_a_public_client_is_a_form_with_no_secret(self):
        """S3; the redirect URI because it was sent before (RFC 6749 section 4.1.3)."""
        request, _tokens = exchanged(PUBLIC)
        assert (request.method, request.target) == ("POST", TOKEN_PATH)
        assert request.headers["accept"] == "application/json"
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        assert "authorization" not in request.headers
        assert split(request) == [
            "client_id=client+7%3A%2B",
            "code=c0de%2F%2B",
            "grant_type=authorization_code",
            f"redirect_uri={BACK_ENCODED}",
            "state=st4te-_",
        ]

    @pytest.mark.conformance("C32", "C34")
    def test_of_a_confidential_client_carries_basic(self):
        """S3, which has the client id in every form. What form-decoding (RFC 6749 section 2.3.1) would change in either
        is encoded before they are joined."""
        request, _tokens = exchanged(BASIC)
        scheme, _, credential = request.headers["authorization"].partition(" ")
        assert scheme == "Basic"
        assert base64.b64decode(credential) == b"client 7%3A%2B:s3cret/%2B&=%25 :"
        assert split(request) == [
            "client_id=client+7%3A%2B",
            "code=c0de%2F%2B",
            "grant_type=authorization_code",
            f"redirect_uri={BACK_ENCODED}",
            "state=st4te-_",
        ]

    @pytest.mark.conformance("C34")
    @pytest.mark.parametrize(
        ("algorithm", "key"), [(SigningAlgorithm.ES384, EC), (SigningAlgorithm.RS384, RSA)], ids=["ES384", "RS384"]
    )
    def test_of_a_client_with_a_key_carries_an_assertion_that_another_reader_believes(self, algorithm, key):
        """RFC 7523 section 2.2; SMART App Launch 2.2; interface facts 4.2."""
        who = client(Authentication.PRIVATE_KEY_JWT, key=key, algorithm=algorithm)
        with serving(http(200, ANSWER)) as server:
            for _ in range(2):
                token_endpoint.exchange(endpoint(server, who), code=Secret("c"), redirect_uri=BACK, at=NOW)
            token_url = server.url(TOKEN_PATH)
        identifiers = set()
        for request in server.requests:
            form = dict(request.form)
            assert len(form) == len(request.form)
            assert "authorization" not in request.headers
            assert "client_secret" not in form
            assert form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            read = jwt.decode(form["client_assertion"], key, algorithms=[algorithm.value])
            assert read.header == {"alg": algorithm.value, "kid": "our-key-1", "typ": "JWT"}
            identifiers.add(read.claims.pop("jti"))
            assert read.claims == {
                "iss": "client 7:+",
                "sub": "client 7:+",
                "aud": token_url,
                "exp": int(NOW.timestamp()) + 240,
            }
        assert len(identifiers) == 2
        assert all(len(each) >= 22 for each in identifiers)

    @pytest.mark.conformance("C34")
    @pytest.mark.parametrize("who", EVERY_CLIENT, ids=lambda who: who.authentication.value)
    def test_and_every_refresh_prove_the_client_in_one_way_only(self, who):
        """RFC 6749 section 2.3: never more than one method in a request."""
        for request in (exchanged(who)[0], refreshed(who)):
            fields = {name for name, _value in request.form}
            seen = {
                "client_secret_basic": "authorization" in request.headers,
                "client_secret_post": "client_secret" in fields,
                "private_key_jwt": "client_assertion" in fields,
            }
            assert [method for method, was_seen in seen.items() if was_seen] == (
                [] if who is PUBLIC else [who.authentication.value]
            )
            assert "?" not in request.target

    @pytest.mark.conformance("C33")
    @pytest.mark.parametrize("who", EVERY_CLIENT, ids=lambda who: who.authentication.value)
    def test_alone_repeats_the_redirect_uri(self, who):
        assert f"redirect_uri={BACK_ENCODED}" in split(exchanged(who)[0])
        assert not [field for field in split(refreshed(who)) if field.startswith("redirect_uri")]


class TestTheRefresh:
    def test_of_a_public_client_names_it_and_nothing_more(self):
        """S4, and RFC 6749 section 3.2.1 for the client id."""
        request = refreshed(PUBLIC)
        assert (request.method, request.target) == ("POST", TOKEN_PATH)
        assert split(request) == ["client_id=client+7%3A%2B", "grant_type=refresh_token", "refresh_token=r3fresh%2F%2B"]

    def test_of_a_client_with_a_key_carries_a_fresh_assertion(self):
        assertions = {dict(refreshed(ASSERTION).form)["client_assertion"] for _ in range(2)}
        assert len(assertions) == 2


class TestTheRevocation:
    @pytest.mark.parametrize("who", EVERY_CLIENT, ids=lambda who: who.authentication.value)
    def test_is_proven_as_the_exchange_is(self, who):
        with serving(http(200)) as server:
            token_endpoint.revoke(endpoint(server, who), token=Secret("dead"), at=NOW)
            token_url = server.url(TOKEN_PATH)
        (request,) = server.requests
        form = dict(request.form)
        assert request.target == TOKEN_PATH + "/revoke"
        assert ("authorization" in request.headers) == (who is BASIC)
        assert ("client_secret" in form) == (who is BODY)
        if who is ASSERTION:
            assert jwt.decode(form["client_assertion"], EC, algorithms=["ES384"]).claims["aud"] == token_url


class TestTheTokenAnswer:
    @pytest.mark.conformance("C35")
    @pytest.mark.parametrize("kind", ["Bearer", "bearer", "BEARER"])
    def test_is_read_field_by_field_and_unknown_ones_are_ignored(self, kind):
        """Section 2.3."""
        more = {
            "token_type": kind, "tenant": "-a", "need_patient_banner": True, "smart_style_url": "https://x.example/",
            "active_ttl": 600, "fhirContext": [{"reference": "ImagingStudy/1"}], "user": "u", "intent": None,
        }  # fmt: skip
        _request, tokens = exchanged(PUBLIC, {**ANSWER, **more})
        assert tokens == token_endpoint.TokenSet(
            access_token=Secret("eyJ.the-access.token"),
            expires_in_seconds=570,
            refresh_token=Secret("the-refresh-token"),
            scope=("launch/patient", "patient/Goal.read", "openid"),
            patient="12724066",
            encounter="97953477",
            id_token=Secret("eyJ.the-id.token"),
            origin=tokens.origin,
        )

    @pytest.mark.conformance("C35")
    def test_does_without_what_is_optional(self):
        required = {name: ANSWER[name] for name in ("access_token", "token_type", "scope", "expires_in")}
        _request, tokens = exchanged(PUBLIC, required)
        assert (tokens.patient, tokens.encounter, tokens.refresh_token, tokens.id_token) == (None,) * 4

    @pytest.mark.conformance("C35")
    @pytest.mark.parametrize(
        ("body", "kind"),
        [
            ({"error": "invalid_grant"}, AuthorizationExpired),
            ({"error": "invalid_client", "error_description": "no"}, ClientRejected),
            ({"error": "something_else"}, UnexpectedAnswer),
            ({**ANSWER, "error": "invalid_grant"}, AuthorizationExpired),
            ({**ANSWER, "error": {"code": 1}}, UnexpectedAnswer),
        ],
    )
    def test_that_is_an_error_with_status_200_is_an_error(self, body, kind):
        with pytest.raises(kind):
            exchanged(PUBLIC, body)
