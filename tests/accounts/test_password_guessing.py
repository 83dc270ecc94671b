"""Somebody guesses a password from many addresses: they are stopped, and the owner can still sign in."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client, RequestFactory
from django.urls import reverse

from apps.accounts import known_browsers
from apps.accounts.models import User
from apps.accounts.sessions import SessionStore
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ENOUGH = 6


@pytest.fixture(autouse=True)
def _low_limit(settings: Any) -> None:
    """Thirty sign-ins a test would take long."""
    settings.GUESSING_FAILURE_LIMIT = ENOUGH


def sign_in(client: Client, email: str, password: str = PASSWORD) -> Any:
    return client.post(reverse("account_login"), {"login": email, "password": password})


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def guess(email: str, *, times: int = ENOUGH) -> None:
    """Wrong passwords, each from an address and a browser of its own."""
    for number in range(times):
        sign_in(Client(REMOTE_ADDR=f"198.51.100.{number}"), email, f"guess {number}")


@pytest.fixture
def at_home(alice: User) -> Client:
    """A browser in which Alice signed in once, and out again."""
    client = Client()
    sign_in(client, alice.email)
    client.post(reverse("account_logout"))
    return client


class TestWhoeverGuesses:
    def test_is_stopped_although_every_guess_comes_from_another_address(self, alice: User):
        guess(alice.email)
        attacker = Client(REMOTE_ADDR="203.0.113.200")
        assert sign_in(attacker, alice.email).status_code == 429
        assert not is_signed_in(attacker)

    def test_stays_stopped_while_they_go_on(self, alice: User):
        for minutes in (0, 20, 40):
            with time_machine.travel(NOON + timedelta(minutes=minutes), tick=False):
                guess(alice.email)
        with time_machine.travel(NOON + timedelta(minutes=65), tick=False):
            assert sign_in(Client(REMOTE_ADDR="203.0.113.200"), alice.email).status_code == 429

    def test_is_not_let_on_by_a_browser_that_knows_another_account(self, alice: User, sam: User):
        attacker = Client()
        sign_in(attacker, sam.email)
        attacker.post(reverse("account_logout"))
        guess(alice.email)
        assert sign_in(attacker, alice.email).status_code == 429

    def test_is_not_let_on_by_a_cookie_of_their_own_making(self, alice: User):
        attacker = Client()
        attacker.cookies["known_browser"] = str(alice.pk)
        guess(alice.email)
        assert sign_in(attacker, alice.email).status_code == 429

    def test_is_not_let_on_by_being_signed_in_as_somebody_else(self, rf: RequestFactory, alice: User, sam: User):
        request = rf.post(reverse("account_reauthenticate"))
        request.user, request.session = sam, SessionStore()
        assert known_browsers.is_known_to(sam.email, request)
        assert not known_browsers.is_known_to(alice.email, request)

    def test_is_not_let_on_by_a_new_password_of_their_own_account(
        self, alice: User, sam: User, mailed_code: Callable[[], str]
    ):
        attacker = Client()
        attacker.post(reverse("account_reset_password"), {"email": sam.email})
        attacker.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        attacker.post(reverse("account_complete_password_reset"), {"password1": "a whole new sentence"})
        guess(alice.email)
        assert not is_signed_in(attacker)
        assert sign_in(attacker, alice.email).status_code == 429

    def test_is_not_let_on_by_a_browser_that_knew_an_earlier_password(
        self, at_home: Client, alice: User, mailed_code: Callable[[], str]
    ):
        """A thief's, who had the password until the owner set a new one."""
        owner = Client()
        owner.post(reverse("account_reset_password"), {"email": alice.email})
        owner.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        owner.post(reverse("account_complete_password_reset"), {"password1": "a whole new sentence"})
        guess(alice.email)
        assert sign_in(at_home, alice.email, "a whole new sentence").status_code == 429

    def test_is_not_let_on_by_asking_for_a_code_they_cannot_read(self, alice: User):
        attacker = Client()
        attacker.post(reverse("account_reset_password"), {"email": alice.email})
        guess(alice.email)
        assert sign_in(attacker, alice.email).status_code == 429

    def test_reads_the_same_where_there_is_no_such_account(self, alice: User):
        pages = []
        for email in (alice.email, "nobody@example.org"):
            guess(email)
            pages.append(sign_in(Client(), email).content.decode().partition("<main")[2].partition("</main>")[0])
        assert pages[0] == pages[1] != ""


class TestTheOwner:
    def test_gets_in_with_a_browser_they_used_before(self, at_home: Client, alice: User):
        guess(alice.email)
        sign_in(at_home, alice.email)
        assert is_signed_in(at_home)

    def test_stays_signed_in_and_can_give_the_password_again(self, at_home: Client, alice: User):
        sign_in(at_home, alice.email)
        del at_home.cookies["known_browser"]
        guess(alice.email)
        answer = at_home.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        assert answer.status_code == 302

    def test_gets_in_with_a_known_browser_while_keys_rotate(self, at_home: Client, alice: User, settings: Any):
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "the next one, for tests as well, and as long as the first"
        guess(alice.email)
        sign_in(at_home, alice.email)
        assert is_signed_in(at_home)

    def test_is_told_how_to_get_in_with_a_new_browser(self, alice: User):
        guess(alice.email)
        page = " ".join(sign_in(Client(), alice.email).content.decode().split())
        assert "<h1>Too many tries</h1>" in page
        assert "Many wrong passwords were tried for this e-mail address, from many places." in page
        assert "a browser you have signed in with before" in page
        assert f'href="{reverse("account_reset_password")}"' in page

    def test_gets_in_with_a_new_browser_by_a_mailed_code(self, alice: User, mailed_code: Callable[[], str]):
        guess(alice.email)
        new = Client()
        new.post(reverse("account_reset_password"), {"email": alice.email})
        new.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        new.post(reverse("account_complete_password_reset"), {"password1": "a whole new sentence"})
        guess(alice.email)
        sign_in(new, alice.email, "a whole new sentence")
        assert is_signed_in(new)
        assert sign_in(Client(), alice.email, "a whole new sentence").status_code == 429

    def test_gets_in_anywhere_after_half_an_hour_of_quiet(self, alice: User):
        with time_machine.travel(NOON, tick=False):
            guess(alice.email)
        client = Client()
        with time_machine.travel(NOON + timedelta(minutes=31), tick=False):
            sign_in(client, alice.email)
            assert is_signed_in(client)

    def test_gets_in_anywhere_after_fewer_guesses(self, alice: User):
        guess(alice.email, times=ENOUGH - 1)
        client = Client(REMOTE_ADDR="203.0.113.9")
        sign_in(client, alice.email)
        assert is_signed_in(client)

    def test_of_another_account_notices_nothing(self, alice: User, sam: User):
        guess(alice.email)
        client = Client()
        sign_in(client, sam.email)
        assert is_signed_in(client)

    def test_is_locked_out_in_a_known_browser_by_ten_tries_there(self, at_home: Client, alice: User):
        for number in range(10):
            with time_machine.travel(NOON + timedelta(minutes=2 * number), tick=False):
                sign_in(at_home, alice.email, "wrong")
        with time_machine.travel(NOON + timedelta(minutes=20), tick=False):
            page = sign_in(at_home, alice.email)
        assert page.status_code == 429
        assert "Wait 30 minutes" in page.content.decode()
