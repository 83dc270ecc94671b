"""The sandbox's migrations over existing applications: secrets and keys keep working."""

import pytest

from tests.fixtures.migrating import Migrating, can_go_back

pytestmark = pytest.mark.django_db  # by which the database of tests is made, also where only these run

KEYS = {"keys": [{"kty": "EC", "kid": "one"}]}
KEYS_URL = "https://app.example.org/keys"


@pytest.fixture(scope="module")
def rows(migrating: Migrating):
    """What the latest migrations made of three applications of interface B, and one of interface A with a secret."""
    get_model = migrating.to(("sandbox", "0002_smart")).get_model
    smart, requested_at = get_model("sandbox", "SmartApplication").objects, "2026-01-02T03:04:05Z"
    smart.create(name="public", client_id="public", requested_at=requested_at)
    smart.create(
        name="secret", client_id="secret", client_type="confidential", authentication="client_secret_basic",
        secret_sha256="5" * 64, requested_at=requested_at, status="provisional",
    )  # fmt: skip
    smart.create(
        name="keys", client_id="keys", client_type="confidential", authentication="private_key_jwt", jwks=KEYS,
        jwks_url=KEYS_URL, requested_at=requested_at,
    )  # fmt: skip
    return migrating.to_latest("sandbox").get_model


class TestApplicationsOfBefore:
    def test_keep_their_place(self, rows):
        kept = rows("sandbox", "SmartApplication").objects.values_list("client_id", "status", "authentication")
        assert set(kept) == {
            ("public", "approved", "none"),
            ("secret", "provisional", "client_secret_basic"),
            ("keys", "approved", "private_key_jwt"),
        }

    def test_have_their_secrets_and_keys_in_system_accounts(self, rows):
        accounts = {row.client_id: row for row in rows("sandbox", "SystemAccount").objects.all()}
        guids = dict(rows("sandbox", "SmartApplication").objects.values_list("client_id", "guid"))
        secret, keys = accounts.pop(guids["secret"]), accounts.pop(guids["keys"])
        assert (secret.kind, secret.secret_sha256, secret.status) == ("secret", "5" * 64, "approved")
        assert (keys.kind, keys.jwks, keys.jwks_url, keys.status) == ("key", KEYS, KEYS_URL, "approved")
        assert (guids["public"], accounts) == (None, {})

    def test_cannot_lose_them_on_a_way_back(self):
        assert not can_go_back("sandbox", "0003_developers")
