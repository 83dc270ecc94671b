"""Requests to interface B's authorization server that nobody should send: each is answered, and none causes a crash."""

from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.sandbox.models import SmartGrant, SmartVersion
from apps.sandbox.smart import scopes
from apps.sandbox.smart.addresses import place_of
from tests.sandbox.smart.literal import ADA, FORM, WILLOW, authorize, token_address

pytestmark = pytest.mark.django_db

ROOT = f"http://testserver/b/myrecord/r4/{WILLOW}/"
NAMES = st.sampled_from(
    [
        *("response_type", "client_id", "redirect_uri", "state", "scope", "aud", "launch", "nonce", "prompt"),
        *("code_challenge", "code_challenge_method", "grant_type", "code", "refresh_token", "client_secret"),
        *("code_verifier", "client_assertion", "client_assertion_type", "step", "patient"),
    ]
)
VALUES = st.one_of(
    st.sampled_from(
        [
            *(
                "phone",
                "code",
                "authorization_code",
                "refresh_token",
                "https://app.example/back/7Q",
                "S256",
                "\0",
                ROOT,
            ),
            *("patient/Observation.read", "launch", "offline_access", "none", "allow", "sign-in", "a.b.c"),
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ]
    ),
    st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace").decode()),
)
PAIRS = st.lists(st.tuples(NAMES, VALUES), max_size=8)
many = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


class TestAnOddRequest:
    @many
    @given(pairs=PAIRS)
    def test_is_answered_by_the_authorization_endpoint(self, client, phone, ada, pairs):
        address = authorize().split("?")[0]
        for query in (urlencode(pairs), authorize().split("?")[1] + "&" + urlencode(pairs)):
            assert client.get(f"{address}?{query}").status_code in {200, 302, 400}
            assert client.post(f"{address}?{query}", {**ADA, "step": "allow"}).status_code in {200, 302, 400}
            assert client.post(address, query, content_type=FORM).status_code in {200, 302, 303, 400}

    @many
    @given(pairs=PAIRS, raw=st.binary(max_size=40), header=st.text(st.characters(codec="latin-1"), max_size=30))
    def test_is_answered_by_the_token_endpoint(self, client, phone, pairs, raw, header):
        for body in (raw, urlencode(pairs).encode()):
            for headers in ({}, {"Authorization": f"Basic {header}"}):
                answer = client.generic("POST", token_address(), body, content_type=FORM, headers=headers)
                assert answer.status_code in {400, 401}
                assert answer["Access-Control-Allow-Origin"] == "*"

    @many
    @given(pairs=PAIRS)
    def test_gives_no_code_for_another_root(self, client, phone, ada, pairs):
        given_aud = [(name, value) for name, value in pairs if name != "aud"]
        address = authorize(aud="https://evil.example/r4") + "&" + urlencode(given_aud)
        client.post(address, {**ADA, "keep": "on"})
        client.post(address, {"step": "allow", "scope": ["patient/Observation.read"]})
        assert not SmartGrant.objects.exists()


class TestAnAudience:
    @given(aud=st.one_of(st.text(max_size=80), st.text(max_size=20).map(lambda tail: ROOT + tail)))
    def test_is_one_of_our_roots_or_none(self, aud):
        place = place_of(aud)
        assert place is None or place.root.lower() == aud.removesuffix("/").lower() + "/"


class TestAScope:
    @given(text=st.text(alphabet="patienuserObv/.*rdwcs?=& ", max_size=30))
    def test_in_any_spelling_is_understood_or_malformed(self, text):
        for version in SmartVersion:
            try:
                assert " ".join(scopes.read(text, [version])).split(" ") == list(dict.fromkeys(text.split(" ")))
            except scopes.Malformed:
                continue

    @given(rights=st.text(alphabet="cruds", min_size=1, max_size=6))
    def test_of_v2_has_its_letters_in_order_and_once(self, rights):
        is_ordered = list(rights) == sorted(set(rights), key="cruds".index)
        assert (scopes.resource_scope(f"patient/Goal.{rights}", [SmartVersion.V2]) is not None) == is_ordered
