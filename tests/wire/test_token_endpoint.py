"""Code exchange, refresh and revocation: the requests as sent, and the answers as read."""

import base64
import json

import pytest

from apps.wire import token_endpoint
from apps.wire.addresses import AddressPolicy
from apps.wire.client_authentication import Authentication, Client
from apps.wire.dialects import DIALECTS
from apps.wire.errors import (
    AuthorizationDenied,
    AuthorizationExpired,
    ClientRejected,
    Code,
    EndpointMisconfigured,
    OrganizationNotEnabled,
    RequestRefused,
    Throttled,
    Unavailable,
    UnexpectedAnswer,
)
from apps.wire.secret import Secret
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
BACK = "https://us.example/back/"
PLAIN = {"access_token": "an-access-token", "refresh_token": "a-refresh-token"}


def endpoint(server, authentication=Authentication.QUERY, *, dialect="patient-access", path="/token"):
    secret = None if authentication is Authentication.NONE else Secret("s3cret&+% :")
    return token_endpoint.TokenEndpoint(
        server.url(path), Client("our id:1", secret, authentication), DIALECTS[dialect], LOOPBACK, server.url("/revoke")
    )


def exchanged(answer, **kwargs):
    with serving(answer if callable(answer) else http(200, answer)) as server:
        return token_endpoint.exchange(endpoint(server), code=Secret("a-code"), redirect_uri=BACK, **kwargs)


def refused(answer, kind):
    """What each of the two grants makes of an answer; both make the same."""
    errors = []
    with serving(answer) as server:
        for call in (
            lambda: token_endpoint.exchange(endpoint(server), code=Secret("a-code"), redirect_uri=BACK),
            lambda: token_endpoint.refresh(endpoint(server), refresh_token=Secret("old")),
        ):
            with pytest.raises(kind) as caught:
                call()
            errors.append(caught.value)
    first, second = errors
    assert (type(first), repr(first)) == (type(second), repr(second))
    assert type(first) is kind
    assert len(server.requests) == 2  # nothing is retried here
    return first


class TestAnExchange:
    def test_by_query_adds_the_verifier_where_there_is_one(self):
        with serving(http(200, PLAIN)) as server:
            token_endpoint.exchange(
                endpoint(server), code=Secret("c"), redirect_uri=BACK, pkce_verifier=Secret("v" * 43), state=Secret("s")
            )
        names = [name for name, _value in server.requests[0].query]
        assert sorted(names) == ["client_id", "client_secret", "code", "code_verifier", "grant_type", "redirect_uri"]

    def test_keeps_the_query_of_a_token_address(self):
        with serving(http(200, PLAIN)) as server:
            where = endpoint(server, path="/token?tenant=7")
            token_endpoint.exchange(where, code=Secret("c"), redirect_uri=BACK)
            token_endpoint.refresh(where, refresh_token=Secret("r"))
        assert [dict(request.query)["tenant"] for request in server.requests] == ["7", "7"]

    @pytest.mark.parametrize(
        ("authentication", "proof"),
        [
            (Authentication.BODY, {"client_id": "our id:1", "client_secret": "s3cret&+% :"}),
            (Authentication.NONE, {"client_id": "our id:1"}),
            (Authentication.BASIC, {}),
        ],
    )
    def test_by_body_sends_form_fields_and_no_query(self, authentication, proof):
        with serving(http(200, PLAIN)) as server:
            where = endpoint(server, authentication, dialect="smart")
            token_endpoint.exchange(where, code=Secret("c"), redirect_uri=BACK, state=Secret("s"))
            token_endpoint.refresh(where, refresh_token=Secret("r"))
        first, second = server.requests
        assert dict(first.form) == proof | {
            "grant_type": "authorization_code", "code": "c", "redirect_uri": BACK, "state": "s", "client_id": "our id:1"
        }  # fmt: skip
        assert dict(second.form) == proof | {"grant_type": "refresh_token", "refresh_token": "r"}
        assert first.target == second.target == "/token"
        assert len(first.form) == len(dict(first.form))

    def test_by_basic_encodes_what_would_be_read_otherwise_before_joining_the_two(self):
        with serving(http(200, PLAIN)) as server:
            token_endpoint.exchange(
                endpoint(server, Authentication.BASIC, dialect="smart"), code=Secret("c"), redirect_uri=BACK
            )
        scheme, credential = server.requests[0].headers["authorization"].split(" ")
        assert scheme == "Basic"
        assert base64.b64decode(credential) == b"our id%3A1:s3cret&%2B%25 :"

    def test_does_not_name_a_public_client_by_header(self):
        with serving(http(200, PLAIN)) as server:
            token_endpoint.exchange(
                endpoint(server, Authentication.NONE, dialect="smart"), code=Secret("c"), redirect_uri=BACK
            )
        assert "authorization" not in server.requests[0].headers

    @pytest.mark.parametrize("size", [1, 16_384])
    def test_carries_codes_and_tokens_of_any_size_both_ways(self, size):
        with serving(http(200, {"access_token": "a" * size, "refresh_token": "r" * size})) as server:
            where = endpoint(server)
            tokens = token_endpoint.exchange(where, code=Secret("c" * size), redirect_uri=BACK)
            again = token_endpoint.refresh(where, refresh_token=tokens.refresh_token or Secret("none came"))
        assert dict(server.requests[0].query)["code"] == "c" * size
        assert dict(server.requests[1].query)["refresh_token"] == "r" * size
        assert again.access_token == Secret("a" * size)

    def test_refuses_tokens_of_absurd_size(self):
        assert refused(http(200, {"access_token": "a" * 70_000}), UnexpectedAnswer).code is Code.UNREADABLE
        assert refused(http(200, {"access_token": "a" * 400_000}), UnexpectedAnswer).code is Code.TOO_LARGE


class TestATokenEndpoint:
    def test_never_puts_a_secret_into_the_url_of_a_server_that_reads_bodies(self):
        with serving(b"") as server, pytest.raises(ClientRejected):
            endpoint(server, Authentication.QUERY, dialect="smart")


class TestATokenSet:
    def test_holds_what_came(self):
        tokens = exchanged(
            {
                "access_token": "at", "token_type": "Bearer", "expires_in": 570, "refresh_token": "rt",
                "scope": "openid patient/Goal.read  launch/patient", "patient": "12-ab.3", "encounter": 97,
                "id_token": "x.y.z", "active_ttl": 3, "need_patient_banner": True,
            }
        )  # fmt: skip
        assert tokens == token_endpoint.TokenSet(
            access_token=Secret("at"),
            expires_in_seconds=570,
            refresh_token=Secret("rt"),
            scope=("openid", "patient/Goal.read", "launch/patient"),
            patient="12-ab.3",
            encounter="97",
            id_token=Secret("x.y.z"),
            origin=tokens.origin,
        )

    def test_names_the_address_that_issued_it(self):
        with serving(http(200, PLAIN)) as server:
            where = endpoint(server)
            first = token_endpoint.exchange(where, code=Secret("c"), redirect_uri=BACK)
            again = token_endpoint.refresh(where, refresh_token=Secret("r"))
        assert f"{first.origin}/token" == f"{again.origin}/token" == server.url("/token")

    @pytest.mark.parametrize(
        ("written", "seconds"),
        [
            (570, 570),
            ("3600", 3600),
            (" 60 ", 60),
            (59.9, 59),
            ("59.9", 59),
            (1e3, 1000),
            (31_536_000, 31_536_000),
            (0, None),
            (-1, None),
            ("", None),
            ("soon", None),
            ("-5", None),
            ("1e9", None),
            (True, None),
            (None, None),
            ([570], None),
            ({"s": 1}, None),
            (1e300, None),
            (10**30, None),
            ("\u0663\u0666", None),
        ],
    )
    def test_has_a_lifetime_only_where_one_can_be_meant(self, written, seconds):
        assert exchanged({**PLAIN, "expires_in": written}).expires_in_seconds == seconds

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
    def test_has_no_lifetime_where_the_number_is_none(self, number):
        body = f'{{"access_token": "a", "expires_in": {number}}}'
        assert exchanged(lambda _request: [http(200, body)]).expires_in_seconds is None

    @pytest.mark.parametrize("written", ["Bearer", "bearer", "BEARER", " bearer", None])
    def test_is_of_bearer_tokens_in_any_case(self, written):
        assert exchanged({**PLAIN, "token_type": written}).access_token == Secret("an-access-token")

    def test_is_read_past_a_byte_order_mark(self):
        tokens = exchanged(lambda _request: [http(200, b"\xef\xbb\xbf" + json.dumps(PLAIN).encode())])
        assert tokens.access_token == Secret("an-access-token")

    @pytest.mark.parametrize("status", [200, 201])
    @pytest.mark.parametrize(
        "content_type", ["application/json;charset=UTF-8", "text/plain", "text/html; charset=utf-16", "", "x"]
    )
    def test_is_read_whatever_its_header_claims(self, status, content_type):
        tokens = exchanged(lambda _request: [http(status, PLAIN, content_type)])
        assert tokens.refresh_token == Secret("a-refresh-token")

    def test_keeps_a_scope_that_is_a_list(self):
        assert exchanged({**PLAIN, "scope": ["a", "b"]}).scope == ("a", "b")

    def test_tells_an_empty_scope_from_none(self):
        assert exchanged({**PLAIN, "scope": ""}).scope == ()
        assert exchanged(PLAIN).scope is None


class TestAnUnusableAnswer:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b" ",
            b"{",
            b'{"access_token": "a"',
            b"null",
            b"[]",
            b'"a"',
            b"7",
            b"{}",
            b"access_token=a&token_type=bearer",
            b"<html>sign in</html>",
            b'\xff\xfe{\x00"\x00',
            b'{"access_token": "\xff"}',
            b'{"access_token": null}',
            b'{"access_token": ""}',
            b'{"access_token": 7}',
            b'{"access_token": ["a"]}',
            b'{"access_token": "a\\nb"}',
            b'{"access_token": "a\\u0000"}',
            b'{"access_token": "\\ud800"}',
            b'{"access_token": "\xc3\xa9"}',
            b'{"access_token": "a", "token_type": "mac"}',
            b'{"access_token": "a", "token_type": 7}',
            b'{"access_token": "a", "refresh_token": {}}',
            b'{"access_token": "a", "scope": 7}',
            b'{"access_token": "a", "scope": [7]}',
            b'{"access_token": "a", "patient": ["1"]}',
            b'{"access_token": "a", "patient": "Patient/1"}',
            b'{"access_token": "a", "patient": "../1"}',
            b'{"access_token": "a", "patient": true}',
            b"[" * 100_000,
            b'{"a":' * 30_000,
            b'{"access_token": ' + b"9" * 10_000 + b"}",
        ],
        ids=lambda body: repr(body[:40]),
    )
    def test_is_not_taken_for_tokens(self, body):
        assert refused(http(200, body), UnexpectedAnswer).actor == "us"


class TestARefusal:
    @pytest.mark.parametrize("status", [400, 401, 200, 403])
    @pytest.mark.parametrize(
        ("error", "kind", "code"),
        [
            ("invalid_request", RequestRefused, Code.INVALID_REQUEST),
            ("invalid_scope", RequestRefused, Code.INVALID_SCOPE),
            ("invalid_client", ClientRejected, Code.INVALID_CLIENT),
            ("unsupported_grant_type", ClientRejected, Code.UNSUPPORTED_GRANT_TYPE),
            ("invalid_target", ClientRejected, Code.INVALID_TARGET),
            ("unauthorized_client", OrganizationNotEnabled, Code.UNAUTHORIZED_CLIENT),
            ("invalid_grant", AuthorizationExpired, Code.INVALID_GRANT),
            ("Invalid Grant", AuthorizationExpired, Code.INVALID_GRANT),
            ("access_denied", AuthorizationDenied, Code.ACCESS_DENIED),
            ("server_error", Unavailable, Code.SERVER_ERROR),
            ("temporarily_unavailable", Unavailable, Code.TEMPORARILY_UNAVAILABLE),
        ],
    )
    def test_is_named_by_who_must_act_whatever_the_status(self, error, kind, code, status):
        found = refused(http(status, {"error": error, "detailedmessage": "it was 7 minutes old"}), kind)
        assert (found.code, found.status) == (code, status)

    @pytest.mark.parametrize("body", [b"", b"no", b"<html>", b"{}", b'{"error": {"x": 1}}', b'{"error": "why_not"}'])
    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (400, UnexpectedAnswer),
            (401, ClientRejected),
            (403, OrganizationNotEnabled),
            (404, EndpointMisconfigured),
            (405, RequestRefused),
            (406, RequestRefused),
            (410, EndpointMisconfigured),
            (414, RequestRefused),
            (415, RequestRefused),
            (418, UnexpectedAnswer),
            (431, RequestRefused),
        ],
    )
    def test_is_named_by_its_status_where_the_code_says_nothing(self, status, kind, body):
        found = refused(http(status, body), kind)
        assert (found.code, found.status) == (Code.UNRECOGNIZED, status)

    @pytest.mark.parametrize(
        ("status", "kind"),
        [(408, Unavailable), (429, Throttled), (500, Unavailable), (502, Unavailable), (599, Unavailable)],
    )
    def test_never_ends_a_link_where_the_server_is_ill(self, status, kind):
        found = refused(http(status, {"error": "invalid_grant"}, Retry_After="7"), kind)
        assert found.retry_after_seconds == 7

    def test_with_success_and_tokens_beside_the_error_is_still_one(self):
        assert refused(http(200, {**PLAIN, "error": "invalid_grant"}), AuthorizationExpired).status == 200

    def test_carries_a_page_about_itself_only_from_its_own_host(self):
        def page(uri):
            answer = http(400, {"error": "invalid_grant", "error_uri": uri})
            with serving(lambda _request: [answer]) as server:
                with pytest.raises(AuthorizationExpired) as error:
                    token_endpoint.refresh(endpoint(server), refresh_token=Secret("r"))
                return error.value.error_uri

        assert page("https://evil.example/") is None
        assert page(["https://evil.example/"]) is None
        with serving(lambda request: [http(400, {"error": "invalid_grant", "error_uri": f"http://{request.headers['host']}/e"})]) as server:  # fmt: skip # noqa: E501
            with pytest.raises(AuthorizationExpired) as error:
                token_endpoint.refresh(endpoint(server), refresh_token=Secret("r"))
            assert error.value.error_uri == server.url("/e")


class TestARevocation:
    def test_is_a_form_with_the_client_beside_the_token(self):
        with serving(http(200)) as server:
            token_endpoint.revoke(endpoint(server), token=Secret("dead"))
        request = server.requests[0]
        assert (request.method, request.target) == ("POST", "/revoke")
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        assert sorted(request.form) == [
            ("client_id", "our id:1"),
            ("client_secret", "s3cret&+% :"),
            ("token", "dead"),
            ("token_type_hint", "refresh_token"),
        ]

    def test_asks_nobody_where_no_address_is_known(self):
        with serving(http(200)) as server:
            where = token_endpoint.TokenEndpoint(
                server.url("/token"),
                Client("c", Secret("s"), Authentication.QUERY),
                DIALECTS["patient-access"],
                LOOPBACK,
            )
            token_endpoint.revoke(where, token=Secret("dead"))
        assert not server.requests

    @pytest.mark.parametrize("body", [b"", b"null", b"<html>", b'{"error": "invalid_grant"}'])
    def test_is_done_with_200_whatever_the_body(self, body):
        with serving(http(200, body)) as server:
            token_endpoint.revoke(endpoint(server), token=Secret("dead"))
        assert len(server.requests) == 1

    @pytest.mark.parametrize(
        ("status", "error", "kind"),
        [
            (400, "unsupported_token_type", RequestRefused),
            (401, "invalid_client", ClientRejected),
            (503, "", Unavailable),
        ],
    )
    def test_tells_what_failed(self, status, error, kind):
        with serving(http(status, {"error": error})) as server, pytest.raises(kind):
            token_endpoint.revoke(endpoint(server), token=Secret("dead"))
