"""Requests that nobody should send: each is answered, and none causes a crash."""

import json
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.sandbox import clock
from apps.sandbox.models import Application, Developer, SmartApplication, SystemAccount

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
FORMS = (
    *(
        "/developers/sign-in",
        "/portal/request",
        "/portal/{portal}/addresses",
        "/portal/{portal}/versions",
        "/approvals/",
    ),
    *("/console/register", "/console/{console}/change", "/system-accounts/request", "/system-accounts/{account}/keys"),
)
FORM_NAMES = st.sampled_from(
    [
        *(
            "email",
            "next",
            "name",
            "redirect_uris",
            "version",
            "kind",
            "id",
            "decision",
            "reason",
            "persona",
            "versions",
        ),
        *("smart_version", "client_type", "authentication", "guid", "launch_url", "scopes", "support_contact"),
        *("description", "client_name", "client_number", "is_production_system", "jwks", "jwks_url"),
    ]
)
FORM_VALUES = st.sampled_from(
    [
        *("App", "https://app.example/back", "r4", "patient", "v1", "public", "confidential", "client_secret_basic"),
        *("patient/Patient.read", "help@app.example", "secret", "key", "yes", "system-account", "approve", "1", "\0"),
        *(
            "https://[",
            "http://127.0.0.1:x/",
            '{"keys": [{}]}',
            "5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37",
            "//evil.example",
        ),
    ]
)
many = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture
def registered(developer):
    """Something of the developer's behind each kind of form: the numbers in their addresses."""
    owner, at = Developer.objects.get(), clock.now()
    account = SystemAccount.objects.create(
        developer=owner, client_name="C", kind="key", status="approved", requested_at=at
    )
    return {
        "portal": Application.objects.create(developer=owner, name="A", requested_at=at).pk,
        "console": SmartApplication.objects.create(developer=owner, name="B", client_id="b", requested_at=at).pk,
        "account": account.pk,
    }


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

    @many
    @given(
        page=st.sampled_from(FORMS),
        fields=st.lists(st.tuples(FORM_NAMES, st.one_of(FORM_VALUES, st.text(max_size=40))), max_size=14),
    )
    def test_is_answered_by_the_forms_of_developers(self, developer, registered, page, fields):
        body = urlencode([(name, value.encode("utf-8", "surrogatepass")) for name, value in fields])
        answer = developer.generic(
            "POST", page.format(**registered), body, content_type="application/x-www-form-urlencoded"
        )
        assert answer.status_code in {200, 302}

    @pytest.mark.parametrize("name", ["\0", "a\0b"])
    def test_is_refused_by_the_forms(self, developer, client, name):
        uris = {"redirect_uris": "https://app.example/back"}
        assert client.post("/portal/request", {"name": name, **uris}).status_code == 200
        account = {"username": name, "password": "p", "display_name": "N", "r4": "1"}
        assert client.post("/practice/", account).status_code == 200
        assert not Application.objects.exists()

    @pytest.mark.parametrize("address", ["/developers/sign-in", "/a/r4/auth/authorize", "/a/r4/auth/token"])
    @pytest.mark.parametrize("charset", ["idna", "rot13", "utf-16"])
    def test_is_refused_in_a_charset_of_its_own(self, client, address, charset):
        body = b'--B\r\nContent-Disposition: form-data; name="email"\r\n\r\n\xc3\xa9\xff\r\n--B--\r\n'
        said = f"multipart/form-data; boundary=B; charset={charset}"
        assert client.generic("POST", address, body, content_type=said).status_code == 400
