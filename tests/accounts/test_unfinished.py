"""Signing in, or a new password with a mailed code, was begun; then the account changed in another browser."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from tests.accounts.test_second_step import app_code
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db

NEW, EVIL = "a whole new sentence", "a sentence of somebody else"
SAID = "Your account has changed since you began. Please start again."


def is_signed_in(browser: Client) -> bool:
    return "_auth_user_id" in browser.session


def sign_in(browser: Client, user: User, password: str = PASSWORD) -> Any:
    return browser.post(reverse("account_login"), {"login": user.email, "password": password})


def change_password(browser: Client) -> None:
    browser.post(reverse("account_change_password"), {"oldpassword": PASSWORD, "password1": NEW})


class TestASignInThatWaitsForACode:
    @pytest.fixture
    def secret(self, alice: User, client: Client) -> str:
        """What makes the codes of Alice's app."""
        made: str = generate_totp_secret()
        TOTP.activate(alice, made)
        return made

    @pytest.fixture
    def half_way(self, alice: User, secret: str) -> Client:
        browser = Client()
        assert sign_in(browser, alice)["Location"] == reverse("mfa_authenticate")
        return browser

    def test_is_finished_where_nothing_changed(self, half_way: Client, secret: str):
        half_way.post(reverse("mfa_authenticate"), {"code": app_code(secret)})
        assert is_signed_in(half_way)

    def test_is_not_finished_after_a_new_password(self, alice_client: Client, half_way: Client, secret: str):
        """Somebody who knew the old password must not get in with it."""
        change_password(alice_client)
        answer = half_way.post(reverse("mfa_authenticate"), {"code": app_code(secret)}, follow=True)
        assert not is_signed_in(half_way)
        assert SAID in answer.content.decode()

    def test_is_not_finished_once_staff_have_stopped_the_account(self, alice: User, half_way: Client, secret: str):
        User.objects.filter(pk=alice.pk).update(is_active=False)
        mail.outbox.clear()
        half_way.post(reverse("mfa_authenticate"), {"code": app_code(secret)})
        assert mail.outbox == []  # no "New sign-in": there was none
        assert sign_in(half_way, alice)["Location"] == reverse("account_inactive")

    @pytest.mark.parametrize("page", ["mfa_authenticate", "account_login"])
    def test_begins_again_when_staff_have_removed_the_second_step(self, alice: User, half_way: Client, page: str):
        """The two pages led to each other, for half an hour."""
        Authenticator.objects.filter(user=alice).delete()
        shown = half_way.get(reverse(page), follow=True)
        assert [shown.status_code, shown.request["PATH_INFO"]] == [200, reverse("account_login")]
        assert SAID in shown.content.decode()
        sign_in(half_way, alice)
        assert is_signed_in(half_way)

    def test_begins_again_when_the_account_was_closed(self, alice: User, half_way: Client):
        alice.delete()
        shown = half_way.get(reverse("account_login"), follow=True)
        assert [shown.status_code, shown.request["PATH_INFO"]] == [200, reverse("account_login")]

    def test_is_a_matter_of_nobody_else(self, sam: User, alice_client: Client, half_way: Client, secret: str):
        strangers = Client()
        sign_in(strangers, sam)
        change_password(strangers)
        half_way.post(reverse("mfa_authenticate"), {"code": app_code(secret)})
        assert is_signed_in(half_way)


class TestANewPasswordWithAMailedCode:
    @pytest.fixture
    def asked(self, alice: User, mailed_code: Callable[[], str]) -> tuple[Client, str]:
        """A browser that asked for a code, by the address that Alice has now, and the code."""
        browser = Client()
        browser.post(reverse("account_reset_password"), {"email": alice.email})
        return browser, mailed_code()

    def enter(self, asked: tuple[Client, str]) -> Any:
        browser, code = asked
        return browser.post(reverse("account_confirm_password_reset_code"), {"code": code})

    def choose(self, asked: tuple[Client, str]) -> Any:
        return asked[0].post(reverse("account_complete_password_reset"), {"password1": EVIL}, follow=True)

    def change_address(self, browser: Client, mailed_code: Callable[[], str]) -> None:
        browser.post(reverse("account_email"), {"email": "new@example.org", "action_add": ""})
        browser.post(reverse("account_email_verification_sent"), {"code": mailed_code()})

    def test_is_set_where_nothing_changed(self, alice: User, asked: tuple[Client, str]):
        self.enter(asked)
        self.choose(asked)
        alice.refresh_from_db()
        assert alice.check_password(EVIL)

    def test_is_not_set_from_the_mailbox_that_alice_has_left(
        self, alice: User, alice_client: Client, asked: tuple[Client, str], mailed_code: Callable[[], str]
    ):
        self.change_address(alice_client, mailed_code)
        self.enter(asked)
        self.choose(asked)
        alice.refresh_from_db()
        assert (alice.email, alice.check_password(PASSWORD)) == ("new@example.org", True)

    def test_is_not_set_over_one_that_alice_chose_since(
        self, alice: User, alice_client: Client, asked: tuple[Client, str]
    ):
        change_password(alice_client)
        self.enter(asked)
        self.choose(asked)
        alice.refresh_from_db()
        assert alice.check_password(NEW)

    def test_is_not_set_either_if_the_code_was_entered_before(
        self, alice: User, alice_client: Client, asked: tuple[Client, str]
    ):
        self.enter(asked)
        change_password(alice_client)
        answer = self.choose(asked)
        alice.refresh_from_db()
        assert alice.check_password(NEW)
        assert SAID in answer.content.decode()
        assert answer.request["PATH_INFO"] == reverse("account_reset_password")

    def test_is_not_set_once_staff_have_stopped_the_account(self, alice: User, asked: tuple[Client, str]):
        User.objects.filter(pk=alice.pk).update(is_active=False)
        self.enter(asked)
        self.choose(asked)
        alice.refresh_from_db()
        assert alice.check_password(PASSWORD)

    def test_tells_a_stranger_nothing_of_an_account_that_changed(self, alice_client: Client, asked: tuple[Client, str]):
        """They read the same as for an address without an account."""
        strangers = Client()
        strangers.post(reverse("account_reset_password"), {"email": "nobody@example.org"})
        change_password(alice_client)
        told = []
        for browser in (asked[0], strangers):
            page = browser.post(reverse("account_confirm_password_reset_code"), {"code": "AAA-AAA"}).content.decode()
            told.append(page.replace("alice@", "nobody@").partition("<main")[2].count("This code is not right"))
            assert SAID not in page
        assert told[0] == told[1] > 0

    def test_can_be_asked_for_again(
        self, alice: User, alice_client: Client, mailed_code: Callable[[], str], asked: Any
    ):
        change_password(alice_client)
        self.enter(asked)
        asked[0].post(reverse("account_reset_password"), {"email": alice.email})
        self.enter((asked[0], mailed_code()))
        self.choose(asked)
        alice.refresh_from_db()
        assert alice.check_password(EVIL)
