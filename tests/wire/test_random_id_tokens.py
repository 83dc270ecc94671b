"""More than a thousand random ID tokens are refused, each with an error of ours."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.wire.errors import WireError
from apps.wire.identity_keys import KeyFinder
from tests.wire.id_tokens import (
    GENUINE,
    HEADER,
    KID,
    LOOPBACK,
    PUBLISHED,
    Issuer,
    T,
    b64,
    issuing,
    jwk,
    raw,
    refused,
    token,
)
from tests.wire.servers import serving

EACH = settings(
    max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
anything = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


MODULUS = jwk(GENUINE, None)["n"]
key_members = st.fixed_dictionaries(
    {"kid": st.just(KID) | anything},
    optional=dict.fromkeys(
        ["kty", "n", "e", "use", "alg", "key_ops"], st.sampled_from(["RSA", MODULUS, "AQAB", "sig"]) | anything
    ),
)


@pytest.fixture(scope="module")
def changing():
    """An issuer whose key set the test replaces."""
    keys: list[object] = []
    with serving(issuing(keys)) as server:
        yield Issuer(server.url("/idsps/one/")), keys


@pytest.fixture(scope="module")
def issuer():
    with serving(issuing(PUBLISHED)) as server:
        yield Issuer(server.url("/idsps/one/"))


def is_json(value: object) -> bool:
    """Whether JSON has a writing for it: NaN and the infinities have none, and a token that holds one is refused."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


class TestARandomIdToken:
    @EACH
    @given(st.data())
    def test_is_refused_for_any_character_that_was_changed(self, issuer, data):
        written = issuer.token()
        place = data.draw(st.integers(0, len(written) - 1))
        other = data.draw(st.sampled_from("ABZaz09-_.=+/ \n\x00\u00e9").filter(lambda one: one != written[place]))
        refused(lambda: issuer.verify(written[:place] + other + written[place + 1 :]))

    @EACH
    @given(st.dictionaries(st.sampled_from(["alg", "kid", "crit", "b64", "jku", "jwk", "x5c", "zip"]), anything))
    def test_is_refused_for_any_header_but_the_right_one(self, issuer, header):
        written = raw({**HEADER, **header}, issuer.claims())(issuer)
        if {"alg", "kid", "crit", "b64"} & set(header) or not is_json(header):
            assert header.get("alg") != "RS256"
            refused(lambda: issuer.verify(written))
        else:
            assert issuer.verify(written).subject == "person-1"

    @EACH
    @given(st.dictionaries(st.sampled_from(["iss", "aud", "azp", "exp", "nonce"]), anything, min_size=1))
    def test_is_refused_for_any_claim_but_the_right_one(self, issuer, changed):
        claims = {**issuer.claims(), **changed}
        lasts = isinstance(changed.get("exp"), int | float) and changed["exp"] > T
        if not lasts or set(changed) > {"exp"}:
            refused(lambda: issuer.verify(token(HEADER, claims, GENUINE)))

    @EACH
    @given(st.text(max_size=200) | st.binary(max_size=90).map(b64) | st.from_regex(r"[\w-]{2,40}(\.[\w-]{0,40}){1,4}"))
    def test_is_refused_without_harm_whatever_it_is(self, issuer, written):
        if written:
            refused(lambda: issuer.verify(written))

    @EACH
    @given(keys=st.lists(anything | key_members, max_size=4))
    def test_is_never_the_undoing_of_whoever_reads_the_keys(self, changing, keys):
        issuer, published = changing
        published[:] = keys
        issuer.keys = KeyFinder(lambda: LOOPBACK)
        error = None
        try:
            issuer.verify(issuer.token())
        except WireError as raised:
            error = raised
        else:
            assert any(isinstance(key, dict) and key.get("n") == MODULUS for key in keys)
        assert error is None or error.__context__ is None
