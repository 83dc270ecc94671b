"""How applications of interface B authenticate (specification 5.2, RFC 6749 section 2.3, RFC 7523)."""

import base64
import hmac
import json
from datetime import datetime

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from apps.sandbox import clock
from tests.sandbox.smart.literal import WILLOW, authorize, token_address

pytestmark = pytest.mark.django_db

AT = datetime.fromisoformat("2026-03-02T09:30:00Z")
NOW = int(AT.timestamp())
AUDIENCE = f"http://testserver{token_address()}"
TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
KEYS: dict[str, RSAKey | ECKey] = {
    "rsa": RSAKey.generate_key(2048, {"kid": "rsa"}),
    "ec": ECKey.generate_key("P-384", {"kid": "ec"}),
    "stranger": ECKey.generate_key("P-384", {"kid": "ec"}),
    "twin": ECKey.generate_key("P-384", {"kid": "twin"}),
}


def basic(client_id, secret):
    return {"Authorization": "Basic " + base64.b64encode(f"{client_id}:{secret}".encode()).decode()}


@pytest.fixture
def code(allow):
    """A code of the application "clinic"."""
    return lambda: allow(authorize(client_id="clinic"))["code"]


@pytest.fixture
def ask(code, post_token):
    """An exchange with what proves the application."""

    def ask(extra="", headers=None):
        clock.set_to(AT)
        return post_token(f"grant_type=authorization_code&code={code()}{extra}", None, headers)

    return ask


def is_unproven(response):
    assert response.status_code == 401, response.content
    assert response.json()["error"] == "invalid_client"
    return True


class TestASecretInTheHeader:
    @pytest.fixture(autouse=True)
    def clinic(self, smart):
        return smart(
            "clinic", client_type="confidential", authentication="client_secret_basic", secret="a+b%:c d/\u00e9"
        )

    @pytest.mark.conformance("X59")
    @pytest.mark.parametrize("extra", ["", "&client_id=clinic"])
    def test_is_form_urlencoded_before_it_is_joined(self, ask, extra):
        assert ask(extra, basic("clinic", "a%2Bb%25%3Ac+d%2F%C3%A9")).status_code == 200

    @pytest.mark.parametrize("extra", ["", "&client_id=clinic"])
    def test_may_be_joined_as_it_is(self, ask, extra):
        """Specification 5.2.5: Base64 of id, colon and secret."""
        assert ask(extra, basic("clinic", "a+b%:c d/\u00e9")).status_code == 200
        assert is_unproven(ask(extra, basic("clinic", "a b%:c d/\u00e9")))

    @pytest.mark.conformance("X59")
    @pytest.mark.parametrize("extra", ["&client_id=clinic", "&client_id=clinic&client_secret=a%2Bb%25%3Ac+d%2F%C3%A9"])
    def test_cannot_be_left_out_or_put_elsewhere(self, ask, extra):
        assert is_unproven(ask(extra))

    @pytest.mark.parametrize(
        "header",
        [
            basic("clinic", "a%2Bb%25%3Ac%20d/")["Authorization"],
            basic("clinic", "wrong")["Authorization"],
            basic("clinic", "")["Authorization"],
            basic("nobody", "a%2Bb%25%3Ac+d%2F%C3%A9")["Authorization"],
            basic("clinic%00", "x")["Authorization"],
            "Basic",
            "Basic !!!!",
            "Basic " + base64.b64encode(b"clinic").decode(),
            "Basic " + base64.b64encode(b"\xff\xfe:x").decode(),
            "Bearer " + base64.b64encode(b"clinic:x").decode(),
            "",
        ],
    )
    def test_is_asked_for_again_when_wrong(self, ask, header):
        answer = ask(headers={"Authorization": header})
        assert is_unproven(answer)
        assert answer["WWW-Authenticate"] == 'Basic realm="sandbox"'
        assert answer["Cache-Control"] == "no-store"

    def test_is_not_given_twice(self, ask):
        answer = ask("&client_secret=x", basic("clinic", "a%2Bb%25%3Ac+d%2F%C3%A9"))
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")

    def test_proves_nobody_else(self, ask, smart):
        smart("other")
        assert is_unproven(ask("&client_id=other", basic("clinic", "a%2Bb%25%3Ac+d%2F%C3%A9")))

    @pytest.mark.conformance("X59")
    def test_is_needed_to_refresh(self, allow, post_token, code):
        right = basic("clinic", "a%2Bb%25%3Ac+d%2F%C3%A9")
        token = post_token(f"grant_type=authorization_code&code={code()}", None, right).json()["refresh_token"]
        assert is_unproven(post_token(f"grant_type=refresh_token&refresh_token={token}"))
        assert is_unproven(post_token(f"grant_type=refresh_token&refresh_token={token}&client_id=clinic"))
        assert post_token(f"grant_type=refresh_token&refresh_token={token}", None, right).status_code == 200


class TestASecretInTheForm:
    @pytest.fixture(autouse=True)
    def clinic(self, smart):
        return smart("clinic", client_type="confidential", authentication="client_secret_post", secret="a secret")

    def test_is_taken_there_alone(self, ask):
        assert ask("&client_id=clinic&client_secret=a+secret").status_code == 200
        assert is_unproven(ask("&client_id=clinic&client_secret=wrong"))
        assert is_unproven(ask("&client_secret=a+secret"))
        assert is_unproven(ask(headers=basic("clinic", "a+secret")))


class TestNoSecret:
    @pytest.mark.conformance("X59")
    def test_is_asked_of_who_was_given_one_and_is_public(self, smart, ask):
        smart("clinic", secret="a secret")
        assert ask("&client_id=clinic").status_code == 200
        assert ask("&client_id=clinic&client_secret=a+secret").status_code == 200
        assert ask(headers=basic("clinic", "a+secret")).status_code == 200
        assert is_unproven(ask("&client_id=clinic&client_secret=wrong"))

    def test_does_not_fit_one_that_is_made_up(self, smart, ask):
        smart("clinic")
        assert is_unproven(ask("&client_id=clinic&client_secret=x"))
        assert is_unproven(ask(headers=basic("clinic", "")))

    def test_still_needs_the_name(self, smart, ask):
        smart("clinic")
        assert ask().json()["error"] == "invalid_request"


class TestAnAssertion:
    @pytest.fixture(autouse=True)
    def clinic(self, smart):
        public = [KEYS[name].as_dict(private=False) for name in ("rsa", "ec", "twin", "twin")]
        return smart(
            "clinic",
            client_type="confidential",
            authentication="private_key_jwt",
            jwks={"keys": public},
            jwks_url="https://clinic.example/jwks",
        )

    @pytest.fixture
    def assert_it(self, ask):
        def assert_it(key="ec", algorithm="ES384", header=None, type_=TYPE, extra="", **claims):
            said = {
                "iss": "clinic",
                "sub": "clinic",
                "aud": AUDIENCE,
                "exp": NOW + 290,
                "iat": NOW,
                "jti": "one",
                **claims,
            }
            said = {name: value for name, value in said.items() if value is not None}
            headers = {"alg": algorithm, "kid": KEYS[key].kid, "typ": "JWT"}
            signed = jwt.encode({**headers, **(header or {})}, said, KEYS[key], algorithms=[algorithm])
            return ask(f"&client_assertion_type={type_}&client_assertion={signed}{extra}")

        return assert_it

    @pytest.mark.parametrize(("key", "algorithm"), [("ec", "ES384"), ("rsa", "RS384")])
    def test_proves_the_application(self, assert_it, key, algorithm):
        assert assert_it(key, algorithm).status_code == 200

    @pytest.mark.parametrize("claims", [{"aud": [AUDIENCE, "x"]}, {"iat": None}, {"exp": NOW + 299}, {"nbf": NOW}])
    def test_may_differ_in_lawful_ways(self, assert_it, claims):
        assert assert_it(extra="&client_id=clinic", **claims).status_code == 200

    @pytest.mark.parametrize(
        "claims",
        [
            {"iss": "other"},
            {"iss": None},
            {"iss": 7},
            {"sub": "other"},
            {"sub": None},
            {"aud": "https://other.example/token"},
            {"aud": f"http://testserver/b/myrecord/r4/{WILLOW}/"},
            {"aud": AUDIENCE + "/"},
            {"aud": None},
            {"aud": {}},
            {"aud": [7]},
            {"exp": NOW - 1},
            {"exp": NOW + 320},
            {"exp": None},
            {"exp": "soon"},
            {"exp": True},
            {"nbf": NOW + 200},
            {"iat": NOW + 200},
            {"jti": None},
            {"jti": ""},
            {"jti": 7},
        ],
    )
    def test_is_refused_for_what_it_says(self, assert_it, claims):
        assert is_unproven(assert_it(**claims))

    @pytest.mark.parametrize(
        ("key", "algorithm", "header"),
        [
            ("stranger", "ES384", {}),
            ("twin", "ES384", {}),
            ("ec", "ES384", {"kid": "unknown"}),
            ("ec", "ES384", {"kid": None}),
            ("ec", "ES384", {"kid": "rsa"}),
            ("rsa", "RS256", {}),
            ("ec", "ES384", {"jku": "https://evil.example/jwks"}),
        ],
    )
    def test_is_refused_for_how_it_is_signed(self, assert_it, key, algorithm, header):
        if header.get("kid", "") is None:
            header = {"kid": ""}
        assert is_unproven(assert_it(key, algorithm, header))

    def test_may_name_the_registered_key_address(self, assert_it):
        assert assert_it(header={"jku": "https://clinic.example/jwks"}).status_code == 200

    def test_is_not_signed_with_a_public_key_as_a_secret(self, ask):
        said = {"iss": "clinic", "sub": "clinic", "aud": AUDIENCE, "exp": NOW + 290, "jti": "one"}
        parts = [{"alg": "HS256", "kid": "rsa", "typ": "JWT"}, said]
        unsigned = b".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
        mac = hmac.new(KEYS["rsa"].as_pem(private=False), unsigned, "sha256").digest()
        signed = (unsigned + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()
        assert is_unproven(ask(f"&client_assertion_type={TYPE}&client_assertion={signed}"))

    @pytest.mark.parametrize("assertion", ["", "x", "a.b.c", "eyJhbGciOiJub25lIn0.eyJpc3MiOiJjbGluaWMifQ."])
    def test_is_a_signed_one(self, ask, assertion):
        answer = ask(f"&client_assertion_type={TYPE}&client_assertion={assertion}")
        assert answer.status_code in (400, 401)
        assert answer.json()["error"] in ("invalid_request", "invalid_client")

    def test_works_once(self, assert_it):
        assert assert_it(jti="again").status_code == 200
        assert is_unproven(assert_it(jti="again"))
        assert assert_it(jti="another").status_code == 200

    def test_is_of_the_named_type(self, assert_it):
        answer = assert_it(type_="urn:ietf:params:oauth:client-assertion-type:saml2-bearer")
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")

    def test_is_for_the_application_that_is_named(self, assert_it, smart):
        smart("other")
        assert is_unproven(assert_it(extra="&client_id=other"))

    def test_cannot_be_left_out(self, ask):
        assert is_unproven(ask("&client_id=clinic"))
        assert is_unproven(ask("&client_id=clinic&client_secret="))
