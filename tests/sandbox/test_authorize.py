"""The authorization endpoint of interface A: who may request, who may answer, and the way back."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from apps.sandbox import enrolment, scenarios
from apps.sandbox.models import Grant

ADDRESS = "/a/r4/auth/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
ADA = {"step": "sign-in", "username": "ada", "password": "lovelace-1815"}

pytestmark = pytest.mark.django_db


def answer(response):
    assert response.status_code == 302
    return {name: values[0] for name, values in parse_qs(urlsplit(response["Location"]).query).items()}


class TestWhoAsks:
    @pytest.mark.conformance("X5")
    @pytest.mark.parametrize(
        "address",
        [
            "/a/r4/auth/authorize?response_type=code&client_id=nobody&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q",
            "/a/r4/auth/authorize?response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q",
            "/a/r4/auth/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q%2F",
            "/a/r4/auth/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2FBack%2F7Q",
            "/a/r4/auth/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q%3Fa%3D1",
            "/a/r4/auth/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fevil.example%2Fback%2F7Q",
            "/a/r4/auth/authorize?response_type=code&client_id=app",
            (
                "/a/r4/auth/authorize?response_type=code&client_id=app&client_id=app"
                "&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
            ),
        ],
    )
    def test_is_shown_a_page_and_never_sent_on_when_unknown(self, client, application, address):
        response = client.get(address)
        assert response.status_code == 400
        assert "Location" not in response
        assert b"This link does not work" in response.content

    @pytest.mark.conformance("X5")
    @pytest.mark.parametrize(
        ("query", "error"),
        [
            ("", "invalid_request"),
            ("&response_type=", "invalid_request"),
            ("&response_type=token", "unsupported_response_type"),
            ("&response_type=code&response_type=code", "invalid_request"),
            ("&response_type=code&state=a&state=b", "invalid_request"),
        ],
    )
    def test_hears_of_a_wrong_response_type_at_its_own_address(self, client, application, query, error):
        response = client.get(
            "/a/r4/auth/authorize?client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q" + query
        )
        assert response["Location"].startswith("https://app.example/back/7Q?")
        assert answer(response)["error"] == error
        assert "code" not in answer(response)

    @pytest.mark.conformance("X3")
    @pytest.mark.parametrize("status", ["requested", "provisional", "retired"])
    def test_is_shown_a_page_until_it_is_approved(self, client, install, status):
        install(status=status)
        response = client.get(ADDRESS)
        assert response.status_code == 400
        assert b"not active" in response.content

    @pytest.mark.conformance("X4")
    def test_is_refused_in_a_version_it_has_not_added(self, client, install):
        install(versions=("dstu2",))
        assert answer(client.get(ADDRESS)) == {"error": "unauthorized_client"}
        assert client.get(ADDRESS.replace("/r4/", "/dstu2/")).status_code == 200

    def test_may_not_frame_or_store_the_pages(self, client, application):
        response = client.get(ADDRESS)
        assert response["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
        assert response["Cache-Control"] == "no-store"

    def test_is_the_only_other_place_a_form_may_lead(self, client, application):
        assert client.get(ADDRESS)["Content-Security-Policy"].endswith("form-action 'self' https://app.example")


class TestSignIn:
    @pytest.mark.conformance("X6")
    @pytest.mark.parametrize(
        ("username", "password"),
        [
            ("ada", "wrong"),
            ("ada", ""),
            ("nobody", "lovelace-1815"),
            ("", ""),
            ("ada\0", "lovelace-1815"),
            ("ADA", "x"),
        ],
    )
    def test_accepts_only_enrolled_credentials(self, client, application, ada, username, password):
        response = client.post(ADDRESS, {"step": "sign-in", "username": username, "password": password})
        assert b"do not go together" in response.content
        assert b"Allow" not in client.post(ADDRESS, {"step": "allow"}).content
        assert not Grant.objects.exists()

    @pytest.mark.conformance("X6")
    def test_ends_with_the_enrolment(self, client, application, ada):
        enrolment.end(ada)
        assert b"do not go together" in client.post(ADDRESS, ADA).content

    def test_needs_a_record_in_this_version(self, client, application, grace):
        response = client.post(
            ADDRESS.replace("/r4/", "/dstu2/"), {"step": "sign-in", "username": "grace", "password": "hopper-1906"}
        )
        assert b"holds no record for you" in response.content

    def test_holds_for_one_authorization_request_alone(self, client, application, ada):
        client.post(ADDRESS, ADA)
        assert b"You are signed in as" in client.get(ADDRESS).content
        assert b"You are signed in as" not in client.get(ADDRESS + "&state=another").content

    def test_lasts_when_asked_to(self, client, application, ada):
        client.post(ADDRESS, {**ADA, "keep": "on"})
        client.post(ADDRESS, {"step": "allow"})
        assert b"You are signed in as" in client.get(ADDRESS + "&state=another").content
        client.post(ADDRESS, {"step": "someone-else"})
        assert b"You are signed in as" not in client.get(ADDRESS).content

    def test_is_over_after_allowing(self, client, application, ada):
        client.post(ADDRESS, ADA)
        client.post(ADDRESS, {"step": "allow"})
        assert b"You are signed in as" not in client.get(ADDRESS).content


class TestWayBack:
    @pytest.mark.conformance("X7")
    def test_brings_the_code_and_the_state_as_sent(self, client, application, ada):
        address = ADDRESS + "&state=a%20b%2Fc%26%3D%C3%A9"
        client.post(address, ADA)
        given = answer(client.post(address, {"step": "allow"}))
        assert given.keys() == {"code", "state"}
        assert given["state"] == "a b/c&=é"

    @pytest.mark.conformance("X7")
    def test_brings_no_state_when_none_was_sent(self, client, application, ada):
        client.post(ADDRESS, ADA)
        assert answer(client.post(ADDRESS, {"step": "allow"})).keys() == {"code"}

    @pytest.mark.conformance("X7")
    def test_keeps_the_query_of_the_redirect_address(self, client, install, ada):
        install(redirect_uris=["https://app.example/back?tenant=7&x=%20"])
        address = (
            "/a/r4/auth/authorize?response_type=code&client_id=app&state=s"
            "&redirect_uri=https%3A%2F%2Fapp.example%2Fback%3Ftenant%3D7%26x%3D%2520"
        )
        client.post(address, ADA)
        location = client.post(address, {"step": "allow"})["Location"]
        assert location.startswith("https://app.example/back?tenant=7&x=%20&code=")
        assert location.endswith("&state=s")

    @pytest.mark.parametrize("signed_in", [False, True])
    def test_says_access_denied_when_cancelled(self, client, application, ada, signed_in):
        if signed_in:
            client.post(ADDRESS + "&state=s", ADA)
        response = client.post(ADDRESS + "&state=s", {"step": "cancel"})
        assert answer(response) == {"error": "access_denied", "state": "s"}
        assert not Grant.objects.exists()

    def test_sends_no_referrer(self, client, application):
        assert client.post(ADDRESS, {"step": "cancel"})["Referrer-Policy"] == "no-referrer"

    @pytest.mark.parametrize(("echo", "state"), [("off", None), ("altered", "sx")])
    def test_loses_or_alters_the_state_on_request(self, client, application, echo, state):
        scenarios.choose("state_echo", echo)
        assert answer(client.post(ADDRESS + "&state=s", {"step": "cancel"})).get("state") == state

    @pytest.mark.parametrize("error", ["server_error", "temporarily_unavailable", "something_new"])
    def test_brings_another_error_on_request(self, client, application, ada, error):
        scenarios.choose("authorize_error", error)
        client.post(ADDRESS, ADA)
        assert answer(client.post(ADDRESS, {"step": "allow"})) == {"error": error}

    def test_can_carry_a_code_of_16_kib(self, client, application, ada):
        scenarios.choose("token_size", "16k")
        client.post(ADDRESS, ADA)
        assert len(answer(client.post(ADDRESS, {"step": "allow"}))["code"]) == 16_384


class TestConsent:
    @pytest.mark.conformance("X23")
    def test_leaves_out_the_types_that_were_unticked(self, exchange, allowed_code, access):
        code = allowed_code(deny=["Observation", "Goal"])
        token = exchange(code=code).json()["access_token"]
        assert access(token).denied_types == {"Observation", "Goal"}

    def test_covers_everything_by_default(self, exchange, access):
        assert access(exchange().json()["access_token"]).denied_types == frozenset()

    def test_covers_the_people_looked_after_in_this_version(self, exchange, access):
        assert access(exchange("r4").json()["access_token"]).patient_ids == ("r-ada", "r-son")
        assert access(exchange("dstu2").json()["access_token"], "dstu2").patient_ids == ("d-ada",)

    def test_needs_a_csrf_token(self, application, ada):
        browser = Client(enforce_csrf_checks=True)
        assert browser.post(ADDRESS, ADA).status_code == 403


class TestPkce:
    # The pair of RFC 7636, appendix B.
    CHALLENGE = "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    @pytest.mark.parametrize(
        "extra",
        [
            CHALLENGE + "&code_challenge_method=plain",
            CHALLENGE,
            "&code_challenge_method=S256",
            "&code_challenge=short&code_challenge_method=S256",
        ],
    )
    def test_is_s256_or_refused(self, client, application, extra):
        assert answer(client.get(ADDRESS + extra))["error"] == "invalid_request"

    def test_needs_the_verifier_once_challenged(self, exchange, allowed_code):
        challenged = self.CHALLENGE + "&code_challenge_method=S256"
        assert exchange(code=allowed_code(extra=challenged)).json()["error"] == "invalid_grant"
        wrong = exchange(code=allowed_code(extra=challenged), code_verifier="x" * 43)
        assert wrong.json()["error"] == "invalid_grant"
        assert exchange(code=allowed_code(extra=challenged), code_verifier=self.VERIFIER).status_code == 200

    def test_refuses_a_verifier_nobody_announced(self, exchange):
        assert exchange(code_verifier=self.VERIFIER).json()["error"] == "invalid_grant"

    def test_can_be_ignored_like_a_server_of_2021(self, exchange, allowed_code):
        scenarios.choose("pkce", "ignored")
        code = allowed_code(extra=self.CHALLENGE + "&code_challenge_method=plain")
        assert exchange(code=code, code_verifier="anything").status_code == 200

    def test_can_be_required(self, client, application):
        scenarios.choose("pkce", "required")
        assert answer(client.get(ADDRESS))["error"] == "invalid_request"
