"""Requests nobody should send: each is answered, none is a crash."""

import json
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.sandbox.models import Application

pytestmark = pytest.mark.django_db
NAMES = st.sampled_from(
    [
        "response_type",
        "client_id",
        "redirect_uri",
        "state",
        "grant_type",
        "code",
        "refresh_token",
        "client_secret",
        "token",
        "code_challenge",
        "code_challenge_method",
        "code_verifier",
        "scope",
    ]
)
VALUES = st.one_of(
    st.sampled_from(
        ["app", "code", "authorization_code", "refresh_token", "https://app.example/back/7Q", "S256", "\0"]
    ),
    st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace").decode()),
)
QUERIES = st.lists(st.tuples(NAMES, VALUES), max_size=8).map(urlencode)
many = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


class TestOddRequest:
    @many
    @given(query=QUERIES)
    def test_is_answered_by_the_authorization_endpoint(self, client, application, query):
        assert client.get(f"/a/r4/auth/authorize?{query}").status_code in {200, 302, 400}
        assert client.post(f"/a/r4/auth/authorize?{query}", {"step": "allow"}).status_code in {200, 302, 400}

    @many
    @given(query=QUERIES, body=st.binary(max_size=60))
    def test_is_answered_by_the_token_and_revocation_endpoints(self, client, application, query, body):
        for route in ("token", "revoke"):
            address = f"/a/dstu2/auth/{route}?{query}"
            answer = client.generic("POST", address, body, content_type="application/x-www-form-urlencoded")
            assert answer.status_code in {200, 400, 401}

    @many
    @given(
        path=st.sampled_from(["clock", "switches", "scenarios", "faults", "applications", "accounts", "grants/end"]),
        body=st.dictionaries(
            st.sampled_from(
                ["name", "username", "password", "redirect_uris", "route", "kind", "move_seconds", "patients"]
            ),
            st.one_of(
                st.none(), st.booleans(), st.floats(), st.text(max_size=9), st.lists(st.text(max_size=9), max_size=2)
            ),
        ),
    )
    def test_is_answered_by_the_control_address(self, client, path, body):
        answer = client.generic("POST", f"/control/{path}", json.dumps(body), content_type="application/json")
        assert answer.status_code in {200, 201, 400}

    @pytest.mark.parametrize("name", ["\0", "a\0b"])
    def test_is_refused_by_the_forms(self, developer, client, name):
        uris = {"redirect_uris": "https://app.example/back"}
        assert client.post("/portal/request", {"name": name, **uris}).status_code == 200
        account = {"username": name, "password": "p", "display_name": "N", "r4": "1"}
        assert client.post("/practice/", account).status_code == 200
        assert not Application.objects.exists()
