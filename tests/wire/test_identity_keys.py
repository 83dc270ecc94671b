"""An issuer's keys: read where the issuer says, cached, fetched again when a new one appears, but not too often."""

from contextlib import contextmanager
from datetime import timedelta

import pytest

from apps.wire.errors import Code, EndpointMisconfigured, IdentityFault, Unavailable, UnsafeAddress
from tests.wire.id_tokens import (
    ATTACKERS,
    GENUINE,
    KID,
    NOW,
    PUBLISHED,
    Issuer,
    T,
    issuing,
    jwk,
    refused,
    rsa_key,
    token,
)
from tests.wire.servers import http, serving


class TestAKeyFinder:
    @contextmanager
    def issuing(self, answer):
        with serving(answer) as server:
            yield Issuer(server.url("/idsps/one/")), server

    def test_asks_the_issuer_once(self):
        with self.issuing(issuing(PUBLISHED)) as (issuer, server):
            for _ in range(3):
                issuer.verify(issuer.token())
        assert [request.target for request in server.requests] == [
            "/idsps/one/.well-known/openid-configuration",
            "/jwk",
        ]
        assert not any("authorization" in request.headers for request in server.requests)

    def test_finds_a_key_that_is_new(self):
        keys = [jwk(rsa_key("older"), "older")]
        with self.issuing(issuing(keys)) as (issuer, server):
            issuer.verify(issuer.token(header={"kid": "older"}, key=rsa_key("older")))
            keys.append(jwk(GENUINE, KID))
            assert issuer.verify(issuer.token(), at=NOW + timedelta(seconds=60)).subject == "person-1"
        assert len(server.requests) == 4

    @pytest.mark.parametrize("kid", [KID, None])
    def test_finds_a_key_that_was_replaced_under_its_name_or_without_one(self, kid):
        keys = [jwk(rsa_key("older"), kid)]
        with self.issuing(issuing(keys)) as (issuer, server):
            sign = lambda key: token({"alg": "RS256"} | ({"kid": kid} if kid else {}), issuer.claims(), key)  # noqa: E731
            issuer.verify(sign(rsa_key("older")))
            keys[:] = [jwk(GENUINE, kid)]
            early = lambda: issuer.verify(sign(GENUINE), at=NOW + timedelta(seconds=59))  # noqa: E731
            assert refused(early) is IdentityFault.SIGNATURE
            assert issuer.verify(sign(GENUINE), at=NOW + timedelta(seconds=60)).subject == "person-1"
            late = lambda: issuer.verify(sign(rsa_key("older")), at=NOW + timedelta(seconds=120))  # noqa: E731
            assert refused(late) is IdentityFault.SIGNATURE
        assert len([request for request in server.requests if request.target == "/jwk"]) == 3

    def test_cannot_be_made_to_ask_often_by_wrong_signatures(self):
        with self.issuing(issuing(PUBLISHED)) as (issuer, server):
            for second in range(120):
                forged = lambda second=second: issuer.verify(  # noqa: E731
                    issuer.token(key=ATTACKERS), at=NOW + timedelta(seconds=second)
                )
                assert refused(forged) is IdentityFault.SIGNATURE
        assert len([request for request in server.requests if request.target == "/jwk"]) == 2

    def test_cannot_be_made_to_ask_often(self):
        with self.issuing(issuing(PUBLISHED)) as (issuer, server):
            for second in range(120):
                written = issuer.token(header={"kid": f"unheard-of-{second}"})
                fault = refused(lambda written=written, second=second: issuer.verify(
                    written, at=NOW + timedelta(seconds=second)))  # fmt: skip
                assert fault is IdentityFault.UNKNOWN_KEY
        assert len([request for request in server.requests if request.target == "/jwk"]) == 2

    def test_forgets_a_key_that_was_withdrawn(self):
        keys = [jwk(GENUINE, KID)]
        with self.issuing(issuing(keys)) as (issuer, _server):
            late = issuer.token(exp=T + 9000)
            issuer.verify(late)
            keys.clear()
            assert issuer.verify(late, at=NOW + timedelta(minutes=59)).subject == "person-1"
            call = lambda: issuer.verify(late, at=NOW + timedelta(minutes=60))  # noqa: E731
            assert refused(call) is IdentityFault.UNKNOWN_KEY

    def test_never_asks_an_issuer_that_is_not_allowed(self):
        with self.issuing(issuing(PUBLISHED)) as (issuer, server):
            refused(lambda: issuer.verify(issuer.token(), issuers=["https://another.example/"]))
        assert not server.requests

    def test_asks_nothing_for_a_token_that_cannot_be_right(self):
        with self.issuing(issuing(PUBLISHED)) as (issuer, server):
            refused(lambda: issuer.verify(issuer.token(header={"alg": "none"}, algorithm="none")))
            refused(lambda: issuer.verify("x" * 100_000))
        assert not server.requests

    def test_never_asks_where_a_token_says_its_key_is(self):
        elsewhere = serving(http(200, {"keys": [jwk(ATTACKERS, KID)]}))
        with elsewhere as attacker, self.issuing(issuing(PUBLISHED)) as (issuer, _server):
            header = {"jku": attacker.url("/jwk"), "x5u": attacker.url("/x5u")}
            refused(lambda: issuer.verify(issuer.token(header=header, key=ATTACKERS)))
        assert not attacker.requests

    @pytest.mark.parametrize(
        "named", ["https://attacker.example/", "{origin}/idsps/one", "{origin}/idsps/ONE/", "", None, 7, []]
    )
    def test_takes_no_document_that_names_another_issuer(self, named):
        with self.issuing(issuing(PUBLISHED, stated={"issuer": named})) as (issuer, server):
            assert refused(lambda: issuer.verify(issuer.token())) is IdentityFault.ISSUER
        assert [request.target for request in server.requests] == ["/idsps/one/.well-known/openid-configuration"]

    @pytest.mark.parametrize(
        "address",
        [
            "http://10.0.0.1/jwk",
            "https://169.254.169.254/",
            "file:///etc/passwd",
            "/jwk",
            "",
            "https://keys.example:22/",
        ],
    )
    def test_goes_to_no_unsafe_address(self, address):
        answer = issuing(PUBLISHED, stated={"jwks_uri": address})
        with self.issuing(answer) as (issuer, server), pytest.raises(UnsafeAddress):
            issuer.verify(issuer.token())
        assert len(server.requests) == 1

    @pytest.mark.parametrize("address", [None, 7, ["https://keys.example/"]])
    def test_stops_where_there_is_no_address(self, address):
        answer = issuing(PUBLISHED, stated={"jwks_uri": address})
        with self.issuing(answer) as (issuer, _server), pytest.raises(EndpointMisconfigured) as refusal:
            issuer.verify(issuer.token())
        assert refusal.value.code is Code.NO_KEYS

    @pytest.mark.parametrize(
        "answer",
        [
            http(401), http(403), http(404), http(200, b"<html>"), http(200, b"[]"), http(200, b"{}"), http(204),
            http(200, {"keys": "x"}), http(200, {"keys": {"kid": KID}}), http(200, jwk(GENUINE, KID)),
        ],
    )  # fmt: skip
    def test_stops_where_there_are_no_keys(self, answer):
        with self.issuing(_with_keys(answer)) as (issuer, _server), pytest.raises(EndpointMisconfigured) as refusal:
            issuer.verify(issuer.token())
        assert refusal.value.code is Code.NO_KEYS

    @pytest.mark.parametrize("status", [408, 429, 500, 503])
    def test_does_not_know_where_the_issuer_is_ill(self, status):
        with self.issuing(_with_keys(http(status))) as (issuer, _server), pytest.raises(Unavailable):
            issuer.verify(issuer.token())

    def test_passes_over_what_is_no_key(self):
        keys: list[object] = [
            7,
            None,
            "x",
            [],
            {},
            {"kid": 7},
            {"kid": [KID]},
            {"kid": KID},
            {"kid": KID, "kty": 7, "n": 7},
        ]
        with self.issuing(issuing([*keys, jwk(GENUINE, KID)])) as (issuer, _server):
            assert issuer.verify(issuer.token()).subject == "person-1"

    @pytest.mark.parametrize(
        "members",
        [{"n": 7}, {"n": ""}, {"n": None}, {"n": "A" * 100_000}, {"n": "AQAB"}, {"e": "AA"}, {"e": "Ag"}, {"e": 7},
         {"e": "A" * 400 + "B"}, {"kty": "EC"}, {"kty": None}, {"use": None}, {"use": 7}, {"alg": None},
         {"key_ops": "verify"}, {"key_ops": []}, {"key_ops": [{}]}],
    )  # fmt: skip
    def test_uses_no_key_that_is_odd(self, members):
        with self.issuing(issuing([{**jwk(GENUINE, KID), **members}])) as (issuer, _server):
            assert refused(lambda: issuer.verify(issuer.token())) is IdentityFault.UNSUITABLE_KEY


def _with_keys(answer):
    """A good configuration, and that answer for the keys."""

    def answering(request):
        yield from [answer] if request.target == "/jwk" else issuing([])(request)

    return answering
