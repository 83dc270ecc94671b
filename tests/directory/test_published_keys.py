"""Our key set as a provider reads it: public members only, the same for everybody, cached for as long as it says."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from joserfc.jwk import ECKey, OctKey, RSAKey

from apps.audit.recording import Actor
from apps.directory import published_keys, signing
from apps.directory.models import SigningKey
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

ADDRESS = "/.well-known/jwks.json"
ACTOR = Actor.system("test")
PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}  # RFC 7518, sections 6.2.2, 6.3.2 and 6.4


def read(client: Client, **headers: str) -> list[dict[str, str]]:
    answer = client.get(ADDRESS, headers=headers)
    assert answer.status_code == 200
    document = json.loads(answer.content)
    assert list(document) == ["keys"]
    keys: list[dict[str, str]] = document["keys"]
    return keys


class TestTheKeySet:
    @pytest.mark.conformance("C52")
    def test_holds_what_verifies_and_nothing_that_signs(self, client):
        elliptic = signing.make("ES384", actor=ACTOR, at=AT)
        rsa = signing.make("RS384", actor=ACTOR, at=AT + timedelta(days=1))
        first, second = read(client)
        assert first.keys() == {"kty", "kid", "alg", "use", "n", "e"}
        assert second.keys() == {"kty", "kid", "alg", "use", "crv", "x", "y"}
        assert (first["kid"], first["alg"], first["use"]) == (rsa.kid, "RS384", "sig")
        assert (second["kid"], second["alg"], second["crv"]) == (elliptic.kid, "ES384", "P-384")
        assert [key["kid"] for key in read(client)] == [rsa.kid, elliptic.kid]

    @pytest.mark.conformance("C52")
    @pytest.mark.parametrize("pair", [ECKey.generate_key("P-384"), RSAKey.generate_key(2048), OctKey.generate_key()])
    def test_leaves_out_private_members_wherever_they_come_from(self, client, pair):
        """A whole pair where the public half belongs."""
        row = signing.make(actor=ACTOR, at=AT)
        planted = pair.as_dict(private=True)
        SigningKey.objects.filter(pk=row.pk).update(public_jwk={**planted, "kid": row.kid, "canary": "c4n4ry"})
        assert PRIVATE & planted.keys()
        (published,) = read(client)
        assert not PRIVATE & published.keys()
        shown = client.get(ADDRESS).content.decode()
        assert not [name for name in PRIVATE & planted.keys() if planted[name] in shown]
        assert "c4n4ry" not in shown

    def test_keeps_a_key_until_it_is_retired(self, client):
        key = signing.make(actor=ACTOR, at=AT)
        signing.supersede(key, actor=ACTOR, at=AT)
        assert [each["kid"] for each in read(client)] == [key.kid]
        signing.retire(key, actor=ACTOR, at=AT + signing.LEAVES_WITHIN)
        assert read(client) == []

    @pytest.mark.conformance("C52")
    def test_says_how_long_a_copy_may_be_kept(self, client):
        signing.make(actor=ACTOR, at=AT)
        answer = client.get(ADDRESS)
        assert answer["Cache-Control"] == "public, max-age=3600"
        assert timedelta(seconds=3600) < published_keys.SPREADS_WITHIN

    def test_is_kept_by_nobody_while_it_is_empty(self, client):
        assert client.get(ADDRESS)["Cache-Control"] == "no-store"

    def test_is_read_as_json(self, client):
        assert client.get(ADDRESS)["Content-Type"] == "application/json"

    def test_opens_nothing(self, client, settings):
        key = signing.make(actor=ACTOR, at=AT)
        settings.VAULT_KEYS = []
        assert [each["kid"] for each in read(client)] == [key.kid]


class TestItsTag:
    def test_spares_a_reader_what_it_has(self, client):
        signing.make(actor=ACTOR, at=AT)
        tag = client.get(ADDRESS)["ETag"]
        answer = client.get(ADDRESS, headers={"If-None-Match": tag})
        assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", tag)
        assert answer["Cache-Control"] == "public, max-age=3600"

    def test_changes_with_the_keys(self, client):
        signing.make(actor=ACTOR, at=AT)
        tag = client.get(ADDRESS)["ETag"]
        signing.make(actor=ACTOR, at=AT)
        assert len(read(client, **{"If-None-Match": tag})) == 2


class TestItsAddress:
    def test_is_below_our_own_origin(self, client, settings):
        settings.SITE_ORIGIN = "https://holdfast.example"
        assert published_keys.key_set_url() == "https://holdfast.example/.well-known/jwks.json"

    @pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
    def test_takes_nothing(self, method):
        client = Client(enforce_csrf_checks=True)
        assert getattr(client, method)(ADDRESS).status_code == 405

    def test_answers_head_without_a_body(self, client):
        signing.make(actor=ACTOR, at=AT)
        answer = client.head(ADDRESS)
        assert (answer.status_code, answer.content, answer["Content-Type"]) == (200, b"", "application/json")

    def test_does_not_ask_who_reads(self, client, alice, django_assert_num_queries):
        """Signed in or not: one query, for the keys; no session is read, no cookie set, and every copy is the same."""
        signing.make(actor=ACTOR, at=AT)
        stranger = Client().get(ADDRESS)
        client.force_login(alice, backend="allauth.account.auth_backends.AuthenticationBackend")
        with django_assert_num_queries(1):
            answer = client.get(ADDRESS)
        for each in (stranger, answer):
            assert not each.cookies
            assert "Cookie" not in each.get("Vary", "")
            assert each["Cache-Control"] == "public, max-age=3600"
        assert answer.content == stranger.content
