"""The client's part of system access, as visible on the wire (specification 4.2 S5 and S6, 5.2.5 and 5.2.6).

Expectations are literal requests written down from the specification. A server on bare sockets records what really
arrives, and assertions are verified without the library that signed them (`tests.fixtures.signatures`).
"""

import base64
import json
import logging
import pickle
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc.jwk import ECKey, RSAKey

from apps.wire import token_endpoint
from apps.wire.addresses import AddressPolicy
from apps.wire.client_authentication import Authentication, Client, SigningAlgorithm, SigningKey
from apps.wire.dialects import DIALECTS
from apps.wire.errors import ClientRejected, Code, OrganizationNotEnabled, RequestRefused, Unavailable, WireError
from apps.wire.secret import Secret
from tests.fixtures import signatures
from tests.wire.servers import Recorded, http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
TOKEN_PATH = "/tenants/-a/hosts/fhir.example/protocols/oauth2/profiles/smart-v1/token"
NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
SCOPES = ("system/Patient.read", "system/Observation.read")
ANSWER = {
    "access_token": "eyJ.canary-access.token", "token_type": "Bearer", "expires_in": 570,
    "scope": "system/Patient.read system/Observation.read",
}  # fmt: skip
KEYS: dict[SigningAlgorithm, Any] = {
    SigningAlgorithm.ES384: ECKey.generate_key("P-384"),
    SigningAlgorithm.RS384: RSAKey.generate_key(2048),
}
TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def basic(client_id: str = "3b0f-guid 7:+", secret: str = "canary s3cret/+&=% :") -> Client:
    return Client(client_id, Secret(secret), Authentication.BASIC)


def signing(authentication: Authentication, algorithm: SigningAlgorithm = SigningAlgorithm.ES384) -> Client:
    private = Secret(json.dumps(KEYS[algorithm].as_dict(private=True)))
    return Client("3b0f-guid", None, authentication, SigningKey("our-key-1", algorithm, private))


def ask(server: Any, client: Client, scopes: Any = SCOPES) -> token_endpoint.TokenSet:
    where = token_endpoint.TokenEndpoint(server.url(TOKEN_PATH), client, DIALECTS["smart"], LOOPBACK)
    return token_endpoint.system_token(where, scopes=scopes, at=NOW)


def asked(client: Client) -> tuple[Recorded, str]:
    """The one request, and the address it was made out to."""
    with serving(http(200, ANSWER)) as server:
        ask(server, client)
    (request,) = server.requests
    return request, server.url(TOKEN_PATH)


def said(request: Recorded) -> str:
    """The assertion of a request, from the header or from the form."""
    scheme, _, inside = request.headers.get("authorization", "").partition(" ")
    return inside if scheme == "Bearer" else dict(request.form)["client_assertion"]


class TestBasic:
    @pytest.mark.conformance("C50")
    def test_is_id_and_secret_encoded_joined_and_encoded_again(self):
        """5.2.5 joins the two as they are; what RFC 6749 section 2.3.1 would read otherwise is encoded before."""
        request, _ = asked(basic())
        scheme, _, encoded = request.headers["authorization"].partition(" ")
        assert scheme == "Basic"
        assert base64.b64decode(encoded, validate=True) == b"3b0f-guid 7%3A%2B:canary s3cret/%2B&=%25 :"

    @pytest.mark.conformance("C50")
    @pytest.mark.parametrize("secret", ["s3cret-_.~", "c2VjcmV0/w==", "with: a colon", "$ign&!*'()", "\u00e9\u00df"])
    def test_is_as_the_specification_writes_it_for_who_takes_no_encoding_back(self, secret):
        request, _ = asked(basic("f6a6a5a7-1f0e-4a54-9a53-3c0b3f8a1e11", secret))
        encoded = request.headers["authorization"].removeprefix("Basic ")
        written = f"f6a6a5a7-1f0e-4a54-9a53-3c0b3f8a1e11:{secret}"
        assert base64.b64decode(encoded, validate=True) == written.encode()

    @pytest.mark.conformance("C50")
    def test_is_a_post_of_grant_type_and_encoded_scope_and_nothing_else(self):
        request, _ = asked(basic())
        assert (request.method, request.target) == ("POST", TOKEN_PATH)
        assert request.body.decode().split("&") == [
            "grant_type=client_credentials",
            "scope=system%2FPatient.read+system%2FObservation.read",
        ]
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        assert request.headers["accept"] == "application/json"
        assert not {"cookie", "referer", "proxy-authorization"} & request.headers.keys()

    @pytest.mark.conformance("C50")
    @given(client_id=st.text(min_size=1), secret=st.text(min_size=1))
    def test_can_be_read_back_whatever_the_two_are(self, client_id, secret):
        client = basic(client_id.encode("utf-8", "replace").decode(), secret.encode("utf-8", "replace").decode())
        proof = token_endpoint._basic(client)
        assert proof is not None
        assert client.secret is not None
        request: Any = proof(cast("Any", _Request()))
        parts = base64.b64decode(request.headers["Authorization"].removeprefix("Basic ")).split(b":", 1)
        assert [_unquoted(part) for part in parts] == [client.client_id, client.secret.reveal()]


class _Request:
    def __init__(self) -> None:
        self.headers: dict[str, str] = {}


def _unquoted(part: bytes) -> str:
    """application/x-www-form-urlencoded, taken back by hand."""
    octets = bytearray()
    rest = part.replace(b"+", b" ")
    while rest:
        size = 3 if rest[:1] == b"%" else 1
        octets += bytes([int(rest[1:3], 16)]) if size == 3 else rest[:1]
        rest = rest[size:]
    return octets.decode()


class TestAnAssertion:
    @pytest.mark.conformance("C51")
    @pytest.mark.parametrize("algorithm", SigningAlgorithm)
    @pytest.mark.parametrize("authentication", [Authentication.BEARER_JWT, Authentication.PRIVATE_KEY_JWT])
    def test_says_who_for_whom_and_until_when(self, authentication, algorithm):
        request, address = asked(signing(authentication, algorithm))
        header, claims = signatures.verified(said(request), KEYS[algorithm].as_dict(private=False))
        assert header == {"alg": algorithm.value, "kid": "our-key-1", "typ": "JWT"}
        assert claims.keys() == {"iss", "sub", "aud", "exp", "jti"}
        assert (claims["iss"], claims["sub"], claims["aud"]) == ("3b0f-guid", "3b0f-guid", address)
        assert isinstance(claims["exp"], int)
        assert 0 < claims["exp"] - NOW.timestamp() <= 300

    @pytest.mark.conformance("C51")
    def test_travels_in_the_header_alone(self):
        request, _ = asked(signing(Authentication.BEARER_JWT))
        assert request.headers["authorization"].startswith("Bearer eyJ")
        assert (request.method, request.target) == ("POST", TOKEN_PATH)
        assert [name for name, _ in request.form] == ["grant_type", "scope"]

    @pytest.mark.conformance("C51")
    def test_travels_in_the_form_alone(self):
        request, _ = asked(signing(Authentication.PRIVATE_KEY_JWT))
        assert "authorization" not in request.headers
        assert request.target == TOKEN_PATH
        fields = dict(request.form)
        assert sorted(fields) == ["client_assertion", "client_assertion_type", "grant_type", "scope"]
        assert (fields["grant_type"], fields["client_assertion_type"]) == ("client_credentials", TYPE)
        assert fields["scope"] == " ".join(SCOPES)

    @pytest.mark.conformance("C51")
    @pytest.mark.parametrize("authentication", [Authentication.BEARER_JWT, Authentication.PRIVATE_KEY_JWT])
    def test_is_never_the_same_twice(self, authentication):
        with serving(http(200, ANSWER)) as server:
            for _ in range(20):
                ask(server, signing(authentication))
        public = KEYS[SigningAlgorithm.ES384].as_dict(private=False)
        ids = [signatures.verified(said(request), public)[1]["jti"] for request in server.requests]
        assert len(set(ids)) == 20
        assert min(map(len, ids)) >= 22  # 128 bits at least, in base64

    def test_is_a_proof_in_the_header_for_people_s_tokens_too(self):
        """A client that proves itself so never goes out without its proof."""
        where = lambda server: token_endpoint.TokenEndpoint(  # noqa: E731
            server.url("/token"), signing(Authentication.BEARER_JWT), DIALECTS["smart"], LOOPBACK, server.url("/revoke")
        )
        with serving(http(200, ANSWER)) as server:
            token_endpoint.exchange(where(server), code=Secret("c"), redirect_uri="https://a.example/", at=NOW)
            token_endpoint.refresh(where(server), refresh_token=Secret("r"), at=NOW)
            token_endpoint.revoke(where(server), token=Secret("r"), at=NOW)
        public = KEYS[SigningAlgorithm.ES384].as_dict(private=False)
        for request in server.requests:
            assert signatures.verified(said(request), public)[1]["aud"] == server.url("/token")
            assert "client_assertion" not in request.body.decode()
        assert len(server.requests) == 3


class TestTheScope:
    @pytest.mark.parametrize(
        "scopes",
        [
            (),
            ("",),
            ("patient/Patient.read",),
            ("system/Patient.read", "patient/Patient.read"),
            ("system/Patient.read", "user/Patient.read"),
            ("system/Patient.read", "openid"),
            ("system/Patient.read", "offline_access"),
            ("system/Patient.read", "online_access"),
            ("online_access",),
            ("launch/patient",),
            ("system/Patient.read system/Observation.read",),
            ("system/patient.read",),
            ("system/Patient",),
            ("system/Patient.read\n",),
        ],
    )
    def test_that_is_not_for_systems_alone_is_sent_nowhere(self, scopes):
        with serving(http(200, ANSWER)) as server, pytest.raises(RequestRefused) as refused:
            ask(server, basic(), scopes)
        assert refused.value.code is Code.INVALID_SCOPE
        assert not server.requests

    def test_goes_out_in_its_own_order_each_once(self):
        with serving(http(200, ANSWER)) as server:
            ask(server, basic(), ["system/Goal.rs", "system/Patient.rs", "system/Goal.rs"])
        assert dict(server.requests[0].form)["scope"] == "system/Goal.rs system/Patient.rs"


class TestAClientOfAnotherKind:
    @pytest.mark.parametrize(
        "client",
        [
            Client("id", None, Authentication.NONE),
            Client("id", Secret("canary"), Authentication.BODY),
        ],
    )
    def test_asks_nobody(self, client):
        with serving(http(200, ANSWER)) as server, pytest.raises(ClientRejected) as refused:
            ask(server, client)
        assert refused.value.code is Code.UNSUPPORTED_AUTHENTICATION
        assert not server.requests


def _echo(request: Recorded) -> list[bytes]:
    whole = f"{request.headers.get('authorization')} {request.body.decode()} {ANSWER['access_token']}"
    return [http(400, {"error": whole, "error_description": whole, "error_uri": f"https://{whole}"})]


def _hang_up(_request: Recorded) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + json.dumps(ANSWER).encode()
    raise OSError("hang up")


class TestARefusal:
    @pytest.mark.parametrize(
        ("status", "error", "kind"),
        [
            (401, "invalid_client", ClientRejected),
            (400, "invalid_scope", RequestRefused),
            (400, "unauthorized_client", OrganizationNotEnabled),
            (400, "unsupported_grant_type", ClientRejected),
            (503, "temporarily_unavailable", Unavailable),
        ],
    )
    def test_says_who_must_act_and_is_not_repeated(self, status, error, kind):
        with serving(http(status, {"error": error})) as server, pytest.raises(kind):
            ask(server, basic())
        assert len(server.requests) == 1

    def test_is_not_followed_elsewhere(self):
        with serving(http(200, ANSWER)) as other, serving(http(307, b"", Location=other.url("/"))) as server:
            with pytest.raises(WireError):
                ask(server, basic())
            assert not other.requests

    @pytest.mark.parametrize("answer", [_echo, _hang_up, http(200, b"no JSON canary"), http(500, b"canary")])
    @pytest.mark.parametrize(
        "client", [basic(), signing(Authentication.BEARER_JWT), signing(Authentication.PRIVATE_KEY_JWT)]
    )
    def test_says_nothing_secret(self, answer, client, caplog, capsys):
        with caplog.at_level(logging.DEBUG), serving(answer) as server, pytest.raises(WireError) as refused:
            ask(server, client)
        error = refused.value
        printed = capsys.readouterr()
        told = " ".join(
            [str(error), repr(error), repr(vars(error)), repr(client), caplog.text, printed.out, printed.err]
        )
        assert (error.__cause__, error.__context__) == (None, None)
        for secret in ("canary", "eyJ", server.requests[0].headers.get("authorization", "canary")):
            assert secret not in told

    def test_leaves_a_token_that_cannot_be_printed_or_pickled(self):
        with serving(http(200, ANSWER)) as server:
            tokens = ask(server, basic())
        assert "canary" not in f"{tokens!r} {tokens!s} {tokens.access_token!r}"
        with pytest.raises(TypeError):
            pickle.dumps(tokens)
        assert tokens.access_token.reveal() == ANSWER["access_token"]
