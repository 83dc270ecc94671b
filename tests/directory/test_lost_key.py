"""The installation's key is missing: our secrets and signing keys cannot be opened."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from apps.audit.recording import Actor
from apps.directory import credentials, rotating, signing
from apps.directory.models import ClientRegistration, SigningKey
from apps.vault.errors import KeyMissing
from tests.records.linked import make_endpoint
from tests.vault.losing import without_key

__all__ = ["without_key"]

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 20, 9, 40, tzinfo=UTC)
ACTOR = Actor.system("test")


class TestASecret:
    def test_is_out_of_reach_and_comes_back(self, without_key):
        server = make_endpoint().authorization_server
        assert server is not None
        registration = server.registrations.get()
        with without_key(), pytest.raises(KeyMissing):
            credentials.client(registration)
        secret = credentials.client(registration).secret
        assert secret is not None
        assert secret.reveal() == "s3cret-canary"


class TestASigningKey:
    @pytest.fixture
    def key(self):
        return signing.make(actor=ACTOR, at=AT)

    def test_signs_nothing_meanwhile_and_signs_again(self, key, without_key):
        with without_key(), pytest.raises(KeyMissing):
            signing.open_key(key)
        assert signing.open_key(key) is not None

    def test_stays_published(self, key, client, without_key):
        with without_key():
            answer = client.get(reverse("key-set")).json()
        assert [one["kid"] for one in answer["keys"]] == [key.kid]

    def test_is_neither_replaced_nor_dropped(self, key, without_key):
        make_endpoint()
        ClientRegistration.objects.update(authentication="private_key_jwt", signing_key=key)
        before = SigningKey.objects.values().get()
        with without_key(), pytest.raises(KeyMissing):
            rotating.rotate(actor=ACTOR, at=AT + timedelta(days=365), is_forced=True)
        assert SigningKey.objects.values().get() == before
