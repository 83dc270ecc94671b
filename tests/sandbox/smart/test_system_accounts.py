"""The system accounts application: the form of specification 5.2.7, approval, secrets, keys."""

import json
import re

import pytest
from joserfc.jwk import ECKey, OctKey, RSAKey

from apps.sandbox.models import SystemAccount

pytestmark = pytest.mark.django_db

ASKED = {
    "description": "Reads for patients",
    "is_production_system": "no",
    "is_vendor_client": "no",
    "client_name": "Holdfast Inc.",
    "client_number": "4711",
    "client_mnemonic": "HOLD",
    "is_millennium_system": "no",
    "kind": "secret",
}
EC = ECKey.generate_key("P-384", {"kid": "ec"})
RSA = RSAKey.generate_key(2048, {"kid": "rsa"})


@pytest.fixture
def request_account(developer):
    def request_account(**changes):
        page = developer.post("/system-accounts/request", {**ASKED, **changes})
        assert page.status_code == 302, page.content.decode()
        return SystemAccount.objects.latest("pk")

    return request_account


@pytest.fixture
def approved(client, request_account):
    def approved(**changes):
        row = request_account(**changes)
        client.post("/approvals/", {"kind": "system-account", "id": row.pk, "decision": "approve"})
        row.refresh_from_db()
        return row

    return approved


@pytest.fixture
def register_keys(developer):
    def register_keys(row, **fields):
        page = developer.post(f"/system-accounts/{row.pk}/keys", fields)
        row.refresh_from_db()
        return page

    return register_keys


def key_set(*keys, private=False):
    return json.dumps({"keys": [key.as_dict(private=private) for key in keys]})


class TestTheForm:
    @pytest.mark.conformance("X61")
    def test_has_every_named_field(self, developer):
        page = developer.get("/system-accounts/request").content.decode()
        labels = [
            re.sub(r"<.*?>|\s+", " ", text)
            for text in re.findall(r"<(?:label|legend)[ >].*?</(?:label|legend)>", page, re.DOTALL)
        ]
        for label in (
            *("Description", "Production System", "Cerner client", "Client Name", "Client Number"),
            *("Client Mnemonic", "Millennium System"),
        ):
            assert [text for text in labels if label in text], label
        for name in ("is_production_system", "is_vendor_client", "is_millennium_system"):
            chosen = re.findall(rf'<input type="radio"\s+name="{name}"\s+value="(\w+)"[^>]*checked', page)
            assert chosen == ["no"]

    @pytest.mark.conformance("X61")
    def test_is_kept_as_it_was_filled(self, request_account):
        row = request_account(is_production_system="yes", kind="key")
        assert (row.description, row.client_name) == ("Reads for patients", "Holdfast Inc.")
        assert (row.client_number, row.client_mnemonic, row.kind) == ("4711", "HOLD", "key")
        assert (row.is_production_system, row.is_vendor_client, row.is_millennium_system) == (True, False, False)
        assert row.developer.email == "dev@app.example"

    def test_leaves_number_and_mnemonic_to_the_developer(self, request_account):
        row = request_account(client_number="", client_mnemonic="")
        assert (row.client_number, row.client_mnemonic) == ("", "")

    @pytest.mark.parametrize(
        "changes",
        [
            {"description": ""},
            {"description": "\0"},
            {"description": "d" * 401},
            {"client_name": ""},
            {"client_name": "n" * 121},
            {"client_number": "1" * 41},
            {"client_mnemonic": "\0"},
            {"kind": ""},
            {"kind": "password"},
            {"is_production_system": "perhaps"},
        ],
    )
    def test_is_refused_in_words(self, developer, changes):
        page = developer.post("/system-accounts/request", {**ASKED, **changes})
        assert b'id="problems"' in page.content
        assert not SystemAccount.objects.exists()

    def test_of_a_megabyte_is_not_read(self, developer):
        body = {**ASKED, "description": "d" * 1_000_001}
        assert developer.post("/system-accounts/request", body).status_code == 400


class TestAnAccount:
    def test_has_no_id_before_it_is_approved(self, developer, client, request_account):
        row = request_account()
        assert str(row.client_id).encode() not in developer.get(f"/system-accounts/{row.pk}/").content
        assert b"There is no secret" in developer.post(f"/system-accounts/{row.pk}/secret", follow=True).content
        row.refresh_from_db()
        assert not row.has_credentials
        client.post("/approvals/", {"kind": "system-account", "id": row.pk, "decision": "approve"})
        assert str(row.client_id).encode() in developer.get(f"/system-accounts/{row.pk}/").content

    def test_shows_its_secret_once_and_keeps_a_digest(self, developer, approved):
        row = approved()
        page = developer.post(f"/system-accounts/{row.pk}/secret", follow=True)
        secret = page.context["secret"]
        assert secret.encode() in page.content
        assert secret.encode() not in developer.get(f"/system-accounts/{row.pk}/").content
        row.refresh_from_db()
        assert secret not in str(vars(row))
        assert row.secret_made_at is not None

    @pytest.mark.parametrize("end", ["reject", "retire"])
    def test_that_is_over_makes_no_secret(self, developer, client, request_account, end):
        row = request_account()
        if end == "reject":
            client.post("/approvals/", {"kind": "system-account", "id": row.pk, "decision": "reject"})
        else:
            developer.post(f"/system-accounts/{row.pk}/retire")
        assert b"There is no secret" in developer.post(f"/system-accounts/{row.pk}/secret", follow=True).content
        assert b"has already ended" in developer.post(f"/system-accounts/{row.pk}/retire", follow=True).content
        row.refresh_from_db()
        assert not row.has_credentials

    def test_of_one_type_has_not_what_the_other_has(self, developer, approved, register_keys):
        by_key, by_secret = approved(kind="key"), approved()
        assert b"There is no secret" in developer.post(f"/system-accounts/{by_key.pk}/secret", follow=True).content
        register_keys(by_secret, jwks=key_set(EC))
        assert b"There are no keys" in developer.get(f"/system-accounts/{by_secret.pk}/keys", follow=True).content
        by_key.refresh_from_db()
        assert not by_key.has_credentials
        assert not by_secret.has_credentials


class TestKeys:
    def test_can_be_registered_and_replaced(self, developer, approved, register_keys):
        row = approved(kind="key")
        assert register_keys(row, jwks=key_set(EC, RSA)).status_code == 302
        page = developer.get(f"/system-accounts/{row.pk}/").content
        assert b"<code>ec</code>" in page
        assert b"<code>rsa</code>" in page
        register_keys(row, jwks_url="http://127.0.0.1:8000/keys.json")
        assert (row.jwks, row.jwks_url) == (None, "http://127.0.0.1:8000/keys.json")
        register_keys(row, jwks=key_set(RSA))
        assert (row.key_ids, row.jwks_url) == (("rsa",), "")

    @pytest.mark.parametrize(
        "fields",
        [
            {},
            {"jwks": key_set(EC), "jwks_url": "http://127.0.0.1:8000/keys.json"},
            {"jwks": "keys"},
            {"jwks": "[" * 90_000},
            {"jwks": "[]"},
            {"jwks": "{}"},
            {"jwks": '{"keys": []}'},
            {"jwks": '{"keys": [1]}'},
            {"jwks": '{"keys": [{"kty": "EC"}]}'},
            {"jwks": '{"keys": [{"kty": "EC", "kid": "one", "crv": "P-384", "x": "eA", "y": "eQ"}]}'},
            {"jwks": key_set(EC, EC)},
            {"jwks": key_set(*[EC] * 21)},
            {"jwks": key_set(OctKey.generate_key(256, {"kid": "oct"}), private=True)},
            {"jwks": '{"keys": [], "\\u0000": 1}'},
            {"jwks": key_set(EC) + "\0"},
            {"jwks": json.dumps({"keys": [{**EC.as_dict(private=False), "kid": "a\0b"}]})},
            {"jwks": json.dumps({"keys": [{**EC.as_dict(private=False), "kid": "\ud800"}]})},
            {"jwks": json.dumps({"keys": [{**EC.as_dict(private=False), "kid": ["ec"]}]})},
            {"jwks_url": "https://app.example/keys.json"},
            {"jwks_url": "http://169.254.169.254/keys.json"},
            {"jwks_url": "http://127.0.0.1.evil.example/keys.json"},
            {"jwks_url": "http://evil.example@127.0.0.1/keys.json"},
            {"jwks_url": "file:///etc/passwd"},
            {"jwks_url": "ftp://127.0.0.1/keys.json"},
            {"jwks_url": "http://127.0.0.1:99999/keys.json"},
            {"jwks_url": "http://127.0.0.1/\0"},
        ],
    )
    def test_are_refused_in_words(self, approved, register_keys, fields):
        row = approved(kind="key")
        page = register_keys(row, **fields)
        assert page.status_code == 200
        assert b'id="problems"' in page.content
        assert not row.has_credentials

    def test_are_kept_without_what_nobody_needs(self, approved, register_keys):
        row = approved(kind="key")
        register_keys(row, jwks=json.dumps({"keys": [{**EC.as_dict(private=False), "note": "\ud800", "x5u": "\0"}]}))
        assert sorted(row.jwks["keys"][0]) == ["crv", "kid", "kty", "x", "y"]

    @pytest.mark.parametrize("key", [EC, RSA], ids=["ec", "rsa"])
    def test_that_are_private_are_named_so_and_not_kept(self, developer, approved, register_keys, key):
        row = approved(kind="key")
        page = register_keys(row, jwks=key_set(key, private=True))
        assert b"private key" in page.content
        assert not row.has_credentials
        assert key.as_dict(private=True)["d"].encode() not in page.content


class TestAStranger:
    @pytest.mark.parametrize(
        ("method", "page"), [("get", ""), ("get", "keys"), ("post", "keys"), ("post", "secret"), ("post", "retire")]
    )
    def test_finds_nothing(self, stranger, approved, method, page):
        row = approved(kind="key" if page == "keys" else "secret")
        before = SystemAccount.objects.values().get()
        address = f"/system-accounts/{row.pk}/{page}"
        assert getattr(stranger, method)(address, {"jwks": key_set(EC)}).status_code == 404
        assert SystemAccount.objects.values().get() == before
        assert b"Holdfast Inc." not in stranger.get("/system-accounts/").content
