"""Signing in while the installation's key is missing: a password works, a second step has to wait for the key."""

import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth
from django.urls import reverse

from tests.fixtures.cast import PASSWORD
from tests.vault.losing import without_key

__all__ = ["without_key"]

pytestmark = pytest.mark.django_db


def sign_in(client, user):
    return client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})


class TestSigningIn:
    def test_needs_no_key(self, client, alice, without_key):
        with without_key():
            assert sign_in(client, alice).status_code == 302
            assert client.get(reverse("home")).status_code == 200

    def test_with_an_app_waits_for_the_key_and_says_so_calmly(self, client, alice, without_key):
        secret = auth.generate_totp_secret()
        auth.TOTP.activate(alice, secret)
        code = auth.format_hotp_value(auth.hotp_value(secret, int(time.time()) // 30))
        with without_key():
            sign_in(client, alice)
            answer = client.post(reverse("mfa_authenticate"), {"code": code})
            assert answer.status_code == 503
            assert "This is ours to fix. Nothing is lost" in answer.content.decode()
        assert Authenticator.objects.filter(user=alice).count() == 1
        assert client.post(reverse("mfa_authenticate"), {"code": code}).status_code == 302
