"""Sessions: what is in the database opens none, and only the holder of the cookie is let in."""

import base64
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.contrib.sessions.backends.base import UpdateError
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Session, User
from apps.accounts.sessions import SessionStore
from apps.audit.models import AuditEvent
from tests.faults import hunting
from tests.faults.hunting import Canary
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SETTINGS = "/settings/"


def key_of(client: Client) -> str:
    """What the browser holds, and sends with every request."""
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def with_key(key: str) -> Client:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    return client


def is_signed_in(client: Client) -> bool:
    return client.get(SETTINGS).status_code == 200


def sign_in(client: Client, user: User) -> Client:
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    return client


def assert_kept_nowhere(*secrets: str) -> None:
    planted = {Canary(f"canary {number}", secret) for number, secret in enumerate(secrets)}
    hunting.assert_nowhere(planted, [*hunting.columns(), *hunting.queue_and_cache()])


class TestWhatIsKept:
    def test_holds_no_session_key(self, alice_client: Client):
        assert is_signed_in(alice_client)
        assert_kept_nowhere(key_of(alice_client))

    def test_holds_no_code_of_somebody_signing_up(self, client: Client, mailed_code: Callable[[], str]):
        client.post(reverse("account_signup"), {"email": "ann@example.org", "password1": "correct horse battery"})
        assert_kept_nowhere(key_of(client), mailed_code(), mailed_code().replace("-", ""))

    def test_holds_no_code_of_a_reset(self, client: Client, alice: User, mailed_code: Callable[[], str]):
        client.post(reverse("account_reset_password"), {"email": alice.email})
        assert_kept_nowhere(key_of(client), mailed_code(), mailed_code().replace("-", ""))

    def test_holds_no_key_of_an_app_that_is_being_set_up(self, alice_client: Client):
        secret = alice_client.get(reverse("mfa_activate_totp")).context["form"].secret
        assert secret == alice_client.session["mfa.totp.secret"]
        assert_kept_nowhere(secret, base64.b32decode(secret).hex())

    def test_lets_nobody_in_who_reads_it(self, alice_client: Client):
        (kept,) = hunting.rows("accounts_session")
        words = {kept, *re.findall(r"[\w/+=-]{8,}", kept)}
        assert len(words) > 3
        assert not [word for word in words if is_signed_in(with_key(word))]

    def test_opens_in_no_other_row(self, alice_client: Client, sam: User):
        stranger = sign_in(Client(), sam)
        theirs = Session.objects.get(user__email="alice@example.org").sealed_data
        Session.objects.filter(user=sam).update(sealed_data=theirs)
        assert not is_signed_in(stranger)

    def test_does_not_open_once_changed(self, alice_client: Client):
        kept = Session.objects.get()
        Session.objects.update(sealed_data=bytes(kept.sealed_data)[:-1] + bytes([kept.sealed_data[-1] ^ 1]))
        assert not is_signed_in(alice_client)

    @pytest.mark.parametrize("sealed", [b"", b"\x01", b"\x01" + b"n" * 12, b"\x02" + b"n" * 60])
    def test_is_as_good_as_nothing_where_it_is_not_ours(self, alice_client: Client, sealed: bytes):
        Session.objects.update(sealed_data=sealed)
        assert not is_signed_in(alice_client)

    def test_cannot_be_made_without_our_secret_key(self, alice_client: Client, settings: Any):
        settings.SECRET_KEY = "of somebody who can write to the database, and knows no secret of ours"
        forged = SessionStore()
        forged["account_password_reset_verification"] = {"code_confirmed": True}
        forged.create()
        settings.SECRET_KEY = "the true one, which the environment holds and the database does not"
        assert SessionStore(forged.session_key).load() == {}

    def test_is_sealed_under_a_new_nonce_at_every_save(self, db: None):
        """One key seals whatever a session ever holds: two texts under one nonce would give each other away."""
        session = SessionStore()
        session["said"] = "always the same"
        session.create()
        first = bytes(Session.objects.get().sealed_data)
        session.save()
        second = bytes(Session.objects.get().sealed_data)
        assert first[1:13] != second[1:13]

    def test_opens_under_a_secret_key_that_is_rotating_out(self, settings: Any):
        settings.SECRET_KEY = "the one of yesterday, long enough that the checks are content with it"
        session = SessionStore()
        session["said"] = "before"
        session.create()
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "the one of today " * 4, [settings.SECRET_KEY]
        assert SessionStore(session.session_key)["said"] == "before"


class TestASession:
    def test_is_not_begun_under_a_key_of_the_browsers_own_making(self, alice: User):
        client = sign_in(with_key("a" * 32), alice)
        assert is_signed_in(client)
        assert key_of(client) != "a" * 32

    def test_is_kept_under_no_key_but_a_drawn_one(self, db: None):
        chosen = SessionStore("a" * 32)
        chosen["said"] = "something"
        chosen.save()
        assert chosen.session_key != "a" * 32
        assert not SessionStore().exists("a" * 32)

    @pytest.mark.parametrize("key", ["short", "nul\x00" * 8, "é" * 40, "x" * 4000])
    def test_of_any_odd_key_is_nobodys(self, db: None, key: str):
        assert SessionStore(key).load() == {}

    def test_has_a_new_key_after_signing_in_and_the_old_one_opens_nothing(self, client: Client, alice: User):
        client.post(reverse("account_reset_password"), {"email": alice.email})
        before = key_of(client)
        sign_in(client, alice)
        assert key_of(client) != before
        assert SessionStore(before).load() == {}
        assert is_signed_in(client)

    def test_is_gone_after_signing_out(self, alice_client: Client):
        key = key_of(alice_client)
        alice_client.post(reverse("account_logout"))
        assert not is_signed_in(with_key(key))
        assert not Session.objects.exists()

    def test_ends_by_itself(self, client: Client, alice: User):
        with time_machine.travel(NOON, tick=False):
            sign_in(client, alice)
        with time_machine.travel(NOON + timedelta(hours=11, minutes=59), tick=False):
            assert is_signed_in(client)
        with time_machine.travel(NOON + timedelta(hours=12, minutes=1), tick=False):
            assert not is_signed_in(client)

    def test_ends_a_day_after_signing_in_however_it_is_used(self, client: Client, alice: User):
        """Whoever has got hold of a cookie could otherwise keep it for good, a press of a button now and then."""
        with time_machine.travel(NOON, tick=False):
            sign_in(client, alice)
        for hours in (11, 20, 23.9):
            with time_machine.travel(NOON + timedelta(hours=hours), tick=False):
                assert is_signed_in(client)
                client.post(reverse("stay"))
                client.post(reverse("search_record"), {"words": "keeps something"})
                assert is_signed_in(client)
        with time_machine.travel(NOON + timedelta(hours=24, minutes=1), tick=False):
            assert not is_signed_in(client)

    def test_does_not_come_back_when_it_was_ended_meanwhile(self, alice_client: Client):
        at_work = alice_client.session
        at_work["late"] = "write"
        Session.objects.all().delete()
        with pytest.raises(UpdateError):
            at_work.save()
        assert not Session.objects.exists()

    def test_prints_nothing_of_itself(self, alice_client: Client):
        kept = Session.objects.get()
        assert f"{kept} {kept!r}" == "session <Session: session>"


class TestANewPassword:
    NEW = "a whole new sentence"

    def test_ends_every_session_but_the_one_it_was_set_in(self, alice_client: Client, alice: User, sam: User):
        other, stranger = sign_in(Client(), alice), sign_in(Client(), sam)
        alice_client.post(reverse("account_change_password"), {"oldpassword": PASSWORD, "password1": self.NEW})
        assert [is_signed_in(client) for client in (alice_client, other, stranger)] == [True, False, True]
        assert Session.objects.filter(user=alice).count() == 1
        assert AuditEvent.objects.filter(event="user.session_ended", user_id=alice.pk).count() == 1

    def test_set_with_a_mailed_code_ends_every_session(
        self, alice_client: Client, alice: User, mailed_code: Callable[[], str]
    ):
        client = Client()
        client.post(reverse("account_reset_password"), {"email": alice.email})
        client.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        client.post(reverse("account_complete_password_reset"), {"password1": self.NEW})
        assert not Session.objects.filter(user=alice).exists()
        assert not is_signed_in(alice_client)

    def test_leaves_the_time_of_signing_in(self, alice: User):
        client = Client()
        with time_machine.travel(NOON, tick=False):
            sign_in(client, alice)
        with time_machine.travel(NOON + timedelta(hours=1), tick=False):
            client.post(reverse("account_change_password"), {"oldpassword": PASSWORD, "password1": self.NEW})
        assert Session.objects.get(user=alice).signed_in_at == NOON


class TestTheList:
    def test_says_where_from_and_when_and_which_is_this_one(self, alice: User):
        others = Client(
            REMOTE_ADDR="203.0.113.9", headers={"User-Agent": "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0"}
        )
        with time_machine.travel(NOON, tick=False):
            sign_in(others, alice)
        with time_machine.travel(NOON + timedelta(hours=1), tick=False):
            page = sign_in(Client(), alice).get(reverse("sessions")).content.decode()
        first, second = re.findall(r'<span class="row-title">.*?</li>', page, re.DOTALL)
        assert "Firefox on Windows" in " ".join(first.split())
        assert "signed in November 20, 2026, noon (UTC)" in " ".join(first.split())
        assert "203.0.113.9" in first
        assert "This browser" not in first
        assert "This browser" in second

    def test_leaves_out_what_ended_by_itself_and_what_is_not_theirs(self, alice: User, sam: User):
        with time_machine.travel(NOON, tick=False):
            sign_in(Client(), alice)
        with time_machine.travel(NOON + timedelta(hours=13), tick=False):
            sign_in(Client(), sam)
            page = sign_in(Client(), alice).get(reverse("sessions"))
        assert page.content.decode().count('class="row-title"') == 1

    def test_takes_a_browser_of_any_name(self, alice: User):
        client = sign_in(Client(headers={"User-Agent": "x" * 5000}), alice)
        assert "An unknown browser on an unknown system" in client.get(reverse("sessions")).content.decode()


class TestSessionsOfAPersonWhoseDoorIsClosed:
    def test_let_nobody_in(self, alice_client: Client, alice: User):
        User.objects.filter(pk=alice.pk).update(is_active=False)
        assert not is_signed_in(alice_client)

    def test_do_not_come_back_when_it_is_opened(
        self, alice_client: Client, alice: User, sam: User, stella: User, signed_in: Callable[[User], Client]
    ):
        """Whoever was in her account, and the reason why staff stopped it, is not in it again."""
        strangers, address = signed_in(sam), reverse("admin:accounts_user_change", args=[alice.pk])
        signed_in(stella).post(address, {"initial-is_active": "True"})
        signed_in(stella).post(address, {"is_active": "on"})
        alice.refresh_from_db()
        assert alice.is_active
        assert not is_signed_in(alice_client)
        assert is_signed_in(strangers)
        assert is_signed_in(sign_in(Client(), alice))
