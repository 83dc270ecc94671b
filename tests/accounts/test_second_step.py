"""The second step: codes from an app, recovery codes, and what the database stores. Passkeys are in tests/journeys."""

import base64
import hashlib
import hmac
import html
import json
import re
import struct
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from apps.accounts import used_codes
from apps.accounts.models import User
from apps.audit.models import AuditEvent
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def app_code(key: str, *, steps: int = 0) -> str:
    """What an authenticator app shows, now or so many steps of 30 seconds later.

    RFC 6238, written here once more so that the library is not asked.
    """
    counter = struct.pack(">Q", int(time.time()) // 30 + steps)
    digest = hmac.new(base64.b32decode(key), counter, hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset : offset + 4])[0] & 0x7FFFFFFF) % 10**6:06d}"


@pytest.fixture(autouse=True)
def _standing_clock() -> Iterator[None]:
    """No code changes while a test is at work."""
    with time_machine.travel(NOON, tick=False):
        yield


@pytest.fixture
def key(alice_client: Client, django_capture_on_commit_callbacks: Any) -> str:
    """Alice's key, with codes from an app turned on."""
    shown: str = alice_client.get(reverse("mfa_activate_totp")).context["form"].secret
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(reverse("mfa_activate_totp"), {"code": app_code(shown)})
    cache.key_prefix += "later"  # a code counts once; the tests do not wait for the next
    return shown


class TestCodesFromAnApp:
    def test_are_turned_on_by_the_first_right_code(self, key: str, alice: User):
        assert set(Authenticator.objects.values_list("user", "type")) == {
            (alice.pk, "totp"),
            (alice.pk, "recovery_codes"),
        }
        assert "user.authenticator_changed" in AuditEvent.objects.values_list("event", flat=True)
        assert "Your Holdfast account now asks for a code" in [message.subject for message in mail.outbox]

    def test_are_set_up_without_a_second_device_to_scan_with(self, alice_client: Client):
        page = alice_client.get(reverse("mfa_activate_totp"))
        secret, text = page.context["form"].secret, html.unescape(page.content.decode())
        assert f"secret={secret}" in text.partition('<a href="otpauth://totp/')[2].partition('"')[0]
        in_fours = re.findall("<span>(.{4})</span>", text.partition('<code class="key">')[2].partition("</code>")[0])
        assert "".join(in_fours) == secret

    def test_are_not_turned_on_by_a_wrong_one(self, alice_client: Client):
        page = alice_client.post(reverse("mfa_activate_totp"), {"code": "000000"})
        assert page.context["form"].errors
        assert not Authenticator.objects.exists()

    def test_are_asked_for_after_the_password(self, key: str, alice: User):
        client = Client()
        answer = client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        assert answer["Location"] == reverse("mfa_authenticate")
        assert "_auth_user_id" not in client.session
        client.post(reverse("mfa_authenticate"), {"code": app_code(key)})
        assert client.session["_auth_user_id"] == str(alice.pk)

    def test_are_the_only_way_for_somebody_without_a_passkey(self, key: str, alice: User):
        client = Client()
        asked = client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD}, follow=True)
        assert "Code from your app" in asked.content.decode()
        assert "passkey" not in asked.content.decode()

    def test_work_once(self, key: str, alice: User):
        for expected in (True, False):
            client = Client()
            client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
            client.post(reverse("mfa_authenticate"), {"code": app_code(key)})
            assert ("_auth_user_id" in client.session) is expected

    def test_work_once_for_as_long_as_they_are_right(self, key: str, alice: User, monkeypatch: pytest.MonkeyPatch):
        """The library forgets after half a minute that one was used, and would take it for a minute more."""
        monkeypatch.setattr(TOTP, "_mark_code_used", lambda _totp, _code: True)
        for expected in (True, False):
            client = Client()
            client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
            client.post(reverse("mfa_authenticate"), {"code": app_code(key, steps=1)})
            assert ("_auth_user_id" in client.session) is expected

    def test_are_remembered_until_they_are_right_no_more(self, alice: User, monkeypatch: pytest.MonkeyPatch):
        seconds: list[int] = []
        monkeypatch.setattr(cache, "add", lambda *_what, timeout: seconds.append(timeout))
        used_codes.is_first_use(alice, "123456")
        assert seconds == [90]  # from a step too early to a step too late, each of them half a minute

    @pytest.mark.parametrize(("steps", "is_let_in"), [(-2, False), (-1, True), (1, True), (2, False)])
    def test_work_one_step_of_the_clock_early_and_late(self, key: str, alice: User, steps: int, is_let_in: bool):
        client = Client()
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        client.post(reverse("mfa_authenticate"), {"code": app_code(key, steps=steps)})
        assert ("_auth_user_id" in client.session) is is_let_in

    def test_cannot_be_guessed_without_end(self, key: str, alice: User):
        client = Client()
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        for _ in range(6):
            client.post(reverse("mfa_authenticate"), {"code": "000000"})
        client.post(reverse("mfa_authenticate"), {"code": app_code(key)})
        assert "_auth_user_id" not in client.session

    def test_are_turned_off_only_by_their_owner(self, key: str, sam: User, signed_in: Callable[[User], Client]):
        signed_in(sam).post(reverse("mfa_deactivate_totp"))
        assert Authenticator.objects.filter(type="totp").exists()

    def test_are_not_skipped_by_a_reset_of_the_password(self, key: str, alice: User, mailed_code: Callable[[], str]):
        client = Client()
        client.post(reverse("account_reset_password"), {"email": alice.email})
        client.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        client.post(reverse("account_complete_password_reset"), {"password1": "a whole new sentence"})
        client.post(reverse("account_login"), {"login": alice.email, "password": "a whole new sentence"})
        assert "_auth_user_id" not in client.session


class TestAWrongCodeAfterThePassword:
    """Somebody who has the password and not the phone is told from an owner who mistyped by the browser alone."""

    def guess(self, client: Client, alice: User) -> list[str]:
        mail.outbox.clear()
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        client.post(reverse("mfa_authenticate"), {"code": "000000"}, headers={"User-Agent": "Firefox/130 (Windows)"})
        client.post(reverse("mfa_authenticate"), {"code": "000001"})
        return [str(message.subject) for message in mail.outbox]

    def test_in_a_strange_browser_is_told_to_the_owner_once(self, key: str, alice: User):
        assert self.guess(Client(), alice) == ["Someone may have your Holdfast password"]
        told = str(mail.outbox[0].body)
        assert "and then a wrong code, with Firefox on Windows. They could not sign in." in told
        assert reverse("account_change_password") in told
        assert self.guess(Client(), alice) == []

    def test_is_told_again_later(self, key: str, alice: User):
        self.guess(Client(), alice)
        with time_machine.travel(NOON + settings.AXES_COOLOFF_TIME, tick=False):
            cache.key_prefix += "later"
            assert len(self.guess(Client(), alice)) == 1

    def test_in_a_browser_of_theirs_is_no_news(self, key: str, alice: User, alice_client: Client):
        alice_client.post(reverse("account_logout"))
        assert self.guess(alice_client, alice) == []


class TestRecoveryCodes:
    def test_sign_in_once_each(self, key: str, alice: User, alice_client: Client):
        code = alice_client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"][0]
        for expected in (True, False):
            client = Client()
            client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
            client.post(reverse("mfa_authenticate"), {"code": code})
            assert ("_auth_user_id" in client.session) is expected

    def test_are_saved_as_a_plain_file(self, key: str, alice_client: Client):
        file = alice_client.get(reverse("mfa_download_recovery_codes"))
        assert file["Cache-Control"].startswith("no-store")
        assert len(file.content.decode().split()) == 10


class TestWhatTheDatabaseKeeps:
    def test_is_sealed(self, key: str, alice_client: Client):
        codes = alice_client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"]
        kept = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
        assert not [secret for secret in (key, *codes) if secret in kept]

    def test_does_not_open_when_tampered_with(self, key: str, alice: User):
        authenticator = Authenticator.objects.get(type="totp")
        sealed = authenticator.data["secret"]
        authenticator.data["secret"] = ("B" if sealed[-9] == "A" else "A").join((sealed[:-9], sealed[-8:]))
        authenticator.save()
        client = Client(raise_request_exception=False)
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        assert client.post(reverse("mfa_authenticate"), {"code": app_code(key)}).status_code == 503
        assert "_auth_user_id" not in client.session
