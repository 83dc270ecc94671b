"""Installing applications of interface B by the control API, and what a reset does to their grants."""

import pytest

from apps.sandbox.models import Launch, SmartApplication, SmartCode, SmartGrant
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW, authorize

pytestmark = pytest.mark.django_db

ADDRESS = "/control/smart-applications"
KEY = {"kty": "EC", "crv": "P-384", "kid": "one", "x": "eA", "y": "eQ"}


@pytest.fixture
def post(client, two_tenants):
    def post(body, address=ADDRESS):
        return client.post(address, body, content_type="application/json")

    return post


class TestInstalling:
    def test_needs_a_redirect_address_and_no_more(self, client, post):
        answer = post({"client_id": "phone", "redirect_uris": ["https://app.example/back/7Q"]})
        assert answer.status_code == 201
        told = answer.json()
        issuers = told.pop("id_token_issuers")
        tenants = [issuer.partition("/tenants/")[2].partition("/oidc/idsps/")[0] for issuer in issuers]
        assert tenants == [RIVERSIDE, WILLOW]
        assert told == {
            "client_id": "phone",
            "client_secret": "",
            "name": "Application",
            "status": "approved",
            "client_type": "public",
            "authentication": "none",
            "jwks": None,
            "jwks_url": "",
            "system_account": "",
            "redirect_uris": ["https://app.example/back/7Q"],
            "launch_url": "",
            "persona": "patient",
            "versions": ["dstu2", "r4"],
            "smart_version": "v1",
            "scopes": [],
            "enabled_tenants": [RIVERSIDE, WILLOW],
        }
        assert client.get(authorize()).status_code == 200

    @pytest.mark.parametrize(
        ("given", "client_type", "authentication"),
        [
            ({"client_secret": "s"}, "confidential", "client_secret_basic"),
            ({"client_type": "confidential"}, "confidential", "client_secret_basic"),
            ({"client_type": "public", "client_secret": "s"}, "public", "none"),
            ({"authentication": "client_secret_post"}, "confidential", "client_secret_post"),
            ({"jwks": {"keys": [KEY]}}, "confidential", "private_key_jwt"),
        ],
    )
    def test_finds_type_and_authentication_that_fit(self, post, given, client_type, authentication):
        answer = post({"redirect_uris": ["https://app.example/back"], **given}).json()
        assert (answer["client_type"], answer["authentication"]) == (client_type, authentication)
        assert bool(answer["client_secret"]) == (authentication.startswith("client_secret") or "client_secret" in given)

    def test_keeps_what_it_is_given(self, post):
        given = {
            "name": "Portal app",
            "client_id": "portal-app",
            "client_secret": "a secret",
            "client_type": "confidential",
            "authentication": "client_secret_post",
            "redirect_uris": ["https://app.example/back"],
            "launch_url": "https://app.example/launch",
            "persona": "provider",
            "versions": ["r4"],
            "smart_version": "v2",
            "scopes": ["openid"],
            "enabled_tenants": [WILLOW],
            "jwks_url": "https://app.example/jwks",
            "status": "retired",
        }
        answer = post(given).json()
        assert {name: answer[name] for name in given} == given

    def test_again_replaces(self, client, post):
        for name in ("First", "Second"):
            post({"client_id": "phone", "name": name, "redirect_uris": ["https://app.example/back"]})
        (application,) = client.get(ADDRESS).json()["applications"]
        assert application["name"] == "Second"
        assert "client_secret" not in application

    @pytest.mark.parametrize(
        "given",
        [
            {"redirect_uris": []},
            {"redirect_uris": ["http://app.example/back"]},
            {"launch_url": "app.example"},
            {"client_type": "secret"},
            {"authentication": "tls_client_auth"},
            {"authentication": "private_key_jwt"},
            {"authentication": "private_key_jwt", "jwks_url": "https://app.example/jwks"},
            {"jwks": {"keys": [{**KEY, "d": "private"}]}},
            {"jwks": {"keys": [{"kty": "EC"}]}},
            {"jwks": {"keys": [{**KEY, "kid": "\0"}]}},
            {"jwks": {"keys": [{**KEY, "kid": ["one"]}]}},
            {"jwks": []},
            {"client_type": "public", "authentication": "client_secret_basic"},
            {"client_type": "confidential", "authentication": "none"},
            {"persona": "everybody"},
            {"versions": []},
            {"versions": ["r5"]},
            {"smart_version": "v3"},
            {"enabled_tenants": ["nowhere"]},
            {"status": "lost"},
            {"client_id": "a" * 81},
            {"colour": "red"},
        ],
    )
    def test_says_what_is_wrong(self, post, given):
        answer = post({"redirect_uris": ["https://app.example/back"], **given})
        assert answer.status_code == 400
        assert answer.json()["error"]
        assert not SmartApplication.objects.exists()


class TestEnding:
    @pytest.mark.conformance("X48")
    def test_ends_what_an_account_allowed(self, post, exchange, post_token):
        token = exchange(scope="patient/Observation.read online_access").json()["refresh_token"]
        assert post({"username": "grace"}, "/control/grants/end").json() == {"ended": 0}
        assert post({"username": "ada"}, "/control/grants/end").json() == {"ended": 1}
        answer = post_token(f"grant_type=refresh_token&refresh_token={token}")
        assert answer.json()["error"] == "invalid_grant"

    def test_by_reset_forgets_what_was_allowed_and_no_application(self, post, exchange):
        exchange()
        assert post({}, "/control/reset").status_code == 200
        assert not any(model.objects.exists() for model in (SmartGrant, SmartCode, Launch))
        assert SmartApplication.objects.exists()
