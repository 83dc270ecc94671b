"""Passkeys, with a simulated authenticator; tests/journeys uses the browser's own."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal.auth import STATE_SESSION_KEY
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from django.conf import settings
from django.test import Client
from django.urls import reverse
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData

from apps.accounts.models import User
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
RELYING_PARTY = hashlib.sha256(b"testserver").digest()
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PRESENT, VERIFIED, HAS_CREDENTIAL = 1, 4, 64
Challenge = str


class Device:
    """A security key. It signs for whoever touches it, and says that it knows them only where it is told to."""

    def __init__(self, owner: User) -> None:
        self._key = generate_private_key(SECP256R1())
        self._id = hashlib.sha256(owner.email.encode()).digest()
        self._owner = owner

    def register(self) -> Authenticator:
        """As the account keeps it."""
        credential = AttestedCredentialData.create(
            Aaguid.NONE, self._id, ES256.from_cryptography_key(self._key.public_key())
        )
        flags = AuthenticatorData.FLAG(PRESENT | VERIFIED | HAS_CREDENTIAL)
        made = AuthenticatorData.create(RELYING_PARTY, flags, 0, credential)
        response = {
            "clientDataJSON": self._said("webauthn.create", "AAAA"),
            "attestationObject": websafe_encode(AttestationObject.create("none", made, {})),
        }
        kept = {"name": "key", "credential": {**self._named(), "response": response}}
        return Authenticator.objects.create(user=self._owner, type=Authenticator.Type.WEBAUTHN, data=kept)

    def answer(self, challenge: Challenge, *, is_verified: bool) -> str:
        """What a browser sends of it."""
        flags = AuthenticatorData.FLAG(PRESENT | (VERIFIED if is_verified else 0))
        made = AuthenticatorData.create(RELYING_PARTY, flags, 1)
        said = self._said("webauthn.get", challenge)
        signed = self._key.sign(bytes(made) + hashlib.sha256(websafe_decode(said)).digest(), ECDSA(SHA256()))
        response = {
            "clientDataJSON": said,
            "authenticatorData": websafe_encode(made),
            "signature": websafe_encode(signed),
            "userHandle": websafe_encode(user_pk_to_url_str(self._owner).encode()),
        }
        return json.dumps({**self._named(), "response": response})

    def _named(self) -> dict[str, Any]:
        name = websafe_encode(self._id)
        return {"id": name, "rawId": name, "type": "public-key", "clientExtensionResults": {}}

    @staticmethod
    def _said(kind: str, challenge: Challenge) -> str:
        return websafe_encode(
            json.dumps({"type": kind, "challenge": challenge, "origin": "http://testserver"}).encode()
        )


@pytest.fixture
def device() -> Callable[[User], Device]:
    """A device that an account knows."""

    def registered(owner: User) -> Device:
        made = Device(owner)
        made.register()
        return made

    return registered


def challenge_in(client: Client) -> Challenge:
    """What the browser was last asked to have signed."""
    return str(client.session[STATE_SESSION_KEY]["challenge"])


class TestAPasskeyAlone:
    @pytest.mark.parametrize("is_verified", [True, False])
    def test_signs_in_whoever_showed_it_that_they_are_its_owner(
        self, client: Client, alice: User, device: Callable[[User], Device], is_verified: bool
    ):
        key = device(alice)
        client.get(reverse("mfa_login_webauthn"), headers={"X-Requested-With": "XMLHttpRequest"})
        answer = key.answer(challenge_in(client), is_verified=is_verified)
        client.post(reverse("mfa_login_webauthn"), {"credential": answer})
        assert ("_auth_user_id" in client.session) is is_verified

    def test_opens_nothing_where_something_less_was_asked_for(
        self, client: Client, alice: User, sam: User, device: Callable[[User], Device]
    ):
        """As a second step a touch is enough. What was asked for there is still in the session when the sign-in is over
        that it was for: nobody gets into another account by it, with a key that its owner lost."""
        device(sam)
        lost = device(alice)
        with time_machine.travel(NOON, tick=False) as clock:
            client.post(reverse("account_login"), {"login": sam.email, "password": PASSWORD})
            client.get(reverse("mfa_authenticate"))
            answer = lost.answer(challenge_in(client), is_verified=False)
            clock.shift(settings.ACCOUNT_LOGIN_TIMEOUT + 1)
            client.post(reverse("mfa_login_webauthn"), {"credential": answer})
            assert "_auth_user_id" not in client.session

    @pytest.mark.parametrize("answer", ["[]", "1", "{}", '{"id": "AA"}', '{"id": "AA", "rawId": "AA", "response": {}}'])
    def test_is_none_where_something_else_is_sent(self, client: Client, answer: str):
        client.get(reverse("mfa_login_webauthn"), headers={"X-Requested-With": "XMLHttpRequest"})
        sent = client.post(reverse("mfa_login_webauthn"), {"credential": answer})
        assert sent["Location"] == reverse("account_login")


class TestAPasskeyThatWasRemoved:
    def test_is_not_called_a_code_on_the_sign_in_page(
        self, client: Client, alice: User, sam: User, device: Callable[[User], Device]
    ):
        device(sam)
        key = device(alice)
        client.get(reverse("mfa_login_webauthn"), headers={"X-Requested-With": "XMLHttpRequest"})
        answer = key.answer(challenge_in(client), is_verified=True)
        Authenticator.objects.filter(user=alice).delete()
        page = client.post(reverse("mfa_login_webauthn"), {"credential": answer}, follow=True)
        assert "_auth_user_id" not in client.session
        self.assert_told(page)

    def test_is_not_called_a_code_after_the_password(
        self, client: Client, alice: User, sam: User, device: Callable[[User], Device]
    ):
        """Of sam's, who needs one: alice's does not open his account."""
        device(sam)
        other = device(alice)
        client.post(reverse("account_login"), {"login": sam.email, "password": PASSWORD})
        client.get(reverse("mfa_authenticate"))
        answer = other.answer(challenge_in(client), is_verified=True)
        page = client.post(reverse("mfa_authenticate"), {"credential": answer})
        assert "_auth_user_id" not in client.session
        self.assert_told(page)

    def assert_told(self, page: Any) -> None:
        assert "We could not accept this passkey." in page.content.decode()
        assert "This code is not right" not in page.content.decode()


class TestAPasskeyAfterThePassword:
    def test_need_be_touched_only(self, client: Client, alice: User, device: Callable[[User], Device]):
        key = device(alice)
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        client.get(reverse("mfa_authenticate"))
        answer = key.answer(challenge_in(client), is_verified=False)
        client.post(reverse("mfa_authenticate"), {"credential": answer})
        assert client.session["_auth_user_id"] == str(alice.pk)


class TestAPasskeyAskedForOnceMore:
    def test_leads_back_to_what_it_was_asked_for_where_it_was_refused(
        self, alice_client: Client, alice: User, sam: User, device: Callable[[User], Device]
    ):
        """And not home: whoever signed in a moment ago is not asked again, and others may use another way there."""
        device(alice)
        other = device(sam)
        alice_client.get(reverse("mfa_reauthenticate_webauthn"))
        answer = other.answer(challenge_in(alice_client), is_verified=False)
        sent = {"credential": answer, "next": reverse("mfa_add_webauthn")}
        page = alice_client.post(reverse("mfa_reauthenticate_webauthn"), sent, follow=True)
        assert page.request["PATH_INFO"] == reverse("mfa_add_webauthn")
        assert "We could not accept this passkey." in page.content.decode()
