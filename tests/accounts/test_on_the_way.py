"""Signing in leads to the page that somebody wanted, even after a refusal, a cancellation or an expired code."""

import html
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlencode

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from axes.models import AccessAttempt
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
THERE = "/providers/?q=harbor&state=ME"
KEPT = "?next=/providers/%3Fq%3Dharbor%26state%3DME"
NEW = {"email": "ann@example.org", "password1": "correct horse battery"}


def sign_in(client: Client, email: str, password: str = PASSWORD, *, to: str = THERE) -> Any:
    return client.post(reverse("account_login"), {"login": email, "password": password, "next": to})


def leads_to(page: Any, name: str) -> str:
    """The address by which a page links or sends to this page of ours, the same wherever in it."""
    found = re.findall(r'(?:href|action|value)="([^"]*)"', page.content.decode())
    addresses = {unquote(html.unescape(link)) for link in found if link.partition("?")[0] == reverse(name)}
    (address,) = addresses
    path, _, query = address.partition("?next=")
    return f"{path}?{urlencode({'next': query}, safe='/')}" if query else path


def assert_kept(client: Client, page: Any, user: User) -> None:
    """The sign-in page to which this answer leads signs in to where they were going."""
    assert page["Location"] == reverse("account_login") + KEPT
    address = leads_to(client.get(page["Location"]), "account_login")
    assert client.post(address, {"login": user.email, "password": PASSWORD})["Location"] == THERE


@pytest.fixture
def half_way(client: Client, alice: User) -> Client:
    """Alice, whose password was right, and whose code is asked for."""
    TOTP.activate(alice, generate_totp_secret())
    assert sign_in(client, alice.email)["Location"] == reverse("mfa_authenticate") + KEPT
    Authenticator.objects.all().delete()  # what follows is about the way, and signs in without
    return client


class TestAPasskeyThatWasRefused:
    def test_leads_there_with_the_password(self, client: Client, alice: User):
        client.get(reverse("mfa_login_webauthn"), headers={"X-Requested-With": "XMLHttpRequest"})
        assert_kept(client, client.post(reverse("mfa_login_webauthn"), {"credential": "{}", "next": THERE}), alice)

    @pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "/accounts/login/?next=/x/"])
    def test_leads_to_no_other_site_and_not_in_circles(self, client: Client, elsewhere: str):
        sent = client.post(reverse("mfa_login_webauthn"), {"credential": "{}", "next": elsewhere})
        assert sent["Location"] == reverse("account_login")


class TestAWrongPassword:
    def test_is_told_at_an_address_to_which_another_language_comes_back(self, client: Client, alice: User):
        address = leads_to(client.get(reverse("account_login") + KEPT), "account_login")
        client.post(address, {"login": alice.email, "password": "wrong"})
        came_from = {"Referer": f"http://testserver{address}"}
        page = client.post(reverse("set_language"), {"language": "es"}, headers=came_from, follow=True)
        address = leads_to(page, "account_login")
        assert client.post(address, {"login": alice.email, "password": PASSWORD})["Location"] == THERE

    def test_that_is_one_too_many_leaves_the_way_open(self, client: Client, alice: User):
        AccessAttempt.objects.create(
            username=alice.email,
            ip_address="127.0.0.1",
            attempt_time=timezone.now(),
            failures_since_start=settings.AXES_FAILURE_LIMIT,
        )
        page = sign_in(client, alice.email)
        assert page.status_code == 429
        assert leads_to(page, "account_login") == reverse("account_login") + KEPT

    def test_that_was_guessed_from_everywhere_leaves_every_way_open(self, client: Client, alice: User):
        AccessAttempt.objects.create(
            username=alice.email,
            ip_address="203.0.113.9",
            attempt_time=timezone.now(),
            failures_since_start=settings.GUESSING_FAILURE_LIMIT,
        )
        page = sign_in(client, alice.email)
        assert page.status_code == 429
        assert leads_to(page, "account_login") == reverse("account_login") + KEPT
        assert leads_to(page, "account_reset_password") == reverse("account_reset_password") + KEPT


class TestASecondStep:
    def test_that_comes_too_late_is_begun_anew(self, client: Client, alice: User):
        TOTP.activate(alice, generate_totp_secret())
        with time_machine.travel(NOON, tick=False) as clock:
            address = sign_in(client, alice.email)["Location"]
            clock.shift(settings.ACCOUNT_LOGIN_TIMEOUT + 1)
            Authenticator.objects.all().delete()
            assert_kept(client, client.post(address, {"code": "123456"}), alice)

    def test_that_is_cancelled_is_begun_anew(self, half_way: Client, alice: User):
        TOTP.activate(alice, generate_totp_secret())
        page = half_way.get(reverse("mfa_authenticate") + KEPT)
        Authenticator.objects.all().delete()
        assert 'action="/accounts/2fa' not in page.content.decode()  # it is sent to its own address, whole
        sign_in_page = leads_to(page, "account_login")
        assert_kept(half_way, half_way.post(reverse("account_logout"), {"next": sign_in_page}), alice)

    def test_is_gone_back_to_from_another_page_of_ours(self, client: Client, alice: User):
        TOTP.activate(alice, generate_totp_secret())
        sign_in(client, alice.email, to="")
        assert client.get(reverse("account_login") + KEPT)["Location"] == reverse("mfa_authenticate") + KEPT


class TestSigningUp:
    @pytest.mark.parametrize("email", ["ann@example.org", "alice@example.org"])
    def test_with_another_address_leads_there(self, client: Client, alice: User, email: str):
        """Of an address that has an account as of a new one: else the difference told which have one."""
        address = leads_to(client.get(reverse("account_signup") + KEPT), "account_signup")
        page = client.get(client.post(address, {**NEW, "email": email})["Location"])
        assert leads_to(page, "account_signup") == reverse("account_signup") + KEPT
        assert leads_to(page, "account_login") == reverse("account_login") + KEPT

    @pytest.mark.parametrize("email", ["ann@example.org", "alice@example.org"])
    def test_with_wrong_codes_leads_there(self, client: Client, alice: User, email: str):
        address = client.post(reverse("account_signup") + KEPT, {**NEW, "email": email})["Location"]
        answers = [client.post(address, {"code": "AAA-AAA"}) for _ in range(4)]
        assert answers[-1]["Location"] == reverse("account_login") + KEPT

    def test_with_a_code_that_came_too_late_leads_there(self, client: Client, alice: User):
        with time_machine.travel(NOON, tick=False) as clock:
            address = client.post(reverse("account_signup") + KEPT, NEW)["Location"]
            clock.shift(timedelta(seconds=settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT + 1))
            assert_kept(client, client.post(address, {"code": "AAA-AAA"}), alice)

    def test_ends_there(self, client: Client, mailed_code: Callable[[], str]):
        address = client.post(reverse("account_signup") + KEPT, NEW)["Location"]
        assert client.post(address, {"code": mailed_code()})["Location"] == THERE


class TestAForgottenPassword:
    def test_is_chosen_anew_on_the_way(self, client: Client, alice: User, mailed_code: Callable[[], str]):
        address = leads_to(client.get(reverse("account_login") + KEPT), "account_reset_password")
        assert leads_to(client.get(address), "account_login") == reverse("account_login") + KEPT
        address = client.post(address, {"email": alice.email})["Location"]
        address = client.post(address, {"code": mailed_code()})["Location"]
        new = {"password1": "a whole new sentence"}
        page = client.post(address, new, follow=True)
        address = leads_to(page, "account_login")
        assert "Your password is changed" in page.content.decode()
        assert sign_in(client, alice.email, new["password1"])["Location"] == THERE
        assert address == reverse("account_login") + KEPT

    def test_whose_code_came_too_late_leads_there(self, client: Client, alice: User):
        with time_machine.travel(NOON, tick=False) as clock:
            address = client.post(reverse("account_reset_password") + KEPT, {"email": alice.email})["Location"]
            clock.shift(settings.ACCOUNT_PASSWORD_RESET_BY_CODE_TIMEOUT + 1)
            assert_kept(client, client.post(address, {"code": "AAA-AAA"}), alice)
