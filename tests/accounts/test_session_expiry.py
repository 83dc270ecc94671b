"""Whoever's session is about to end is told, and can stay signed in."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.urls import reverse

from apps.accounts import session_expiry
from apps.accounts.models import Session, User
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
END = NOON + timedelta(seconds=settings.SESSION_COOKIE_AGE)
SETTINGS = "/settings/"


@pytest.fixture(autouse=True)
def _signed_in_at_noon(client: Client, alice: User) -> None:
    with time_machine.travel(NOON, tick=False):
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        client.get(SETTINGS)  # what signing in said is read


def page(client: Client, *, left: timedelta, address: str = SETTINGS) -> str:
    with time_machine.travel(END - left, tick=False):
        return text(client.get(address))


def text(answer: Any) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


class TestAPageOfTheLastMinutes:
    @pytest.mark.parametrize(
        ("left", "said"),
        [
            (timedelta(minutes=15), "in 15 minutes"),
            (timedelta(minutes=9, seconds=30), "in 10 minutes"),
            (timedelta(minutes=1), "in 1 minute "),
            (timedelta(seconds=20), "in 1 minute "),
        ],
    )
    def test_says_when_it_ends(self, client: Client, left: timedelta, said: str):
        told = page(client, left=left)
        assert f"You will be logged out {said}" in told
        assert "You have until midnight UTC." in told

    def test_says_it_by_the_clock_of_its_reader(self, client: Client):
        User.objects.update(time_zone="America/New_York")
        assert "You have until 7 p.m. EST." in page(client, left=timedelta(minutes=5))

    def test_says_it_in_spanish(self, client: Client):
        User.objects.update(language="es")
        client.cookies["django_language"] = "es"
        told = page(client, left=timedelta(minutes=5))
        assert "Su sesión se cerrará en 5 minutos" in told
        assert "Seguir" in told

    def test_leads_back_to_itself(self, client: Client):
        told = page(client, left=timedelta(minutes=5), address="/record/?a=1")
        assert 'name="next" value="/record/?a=1"' in told

    def test_says_nothing_where_a_form_was_sent(self, client: Client):
        """What was typed would be lost."""
        with time_machine.travel(END - timedelta(minutes=5), tick=False):
            answer = client.post(reverse("agree"), {})
        assert answer.status_code == 422
        assert "You will be logged out" not in text(answer)


class TestAPageBefore:
    def test_says_nothing(self, client: Client):
        assert "You will be logged out" not in page(client, left=timedelta(minutes=15, seconds=1))

    def test_says_nothing_to_somebody_who_is_signed_out(self, client: Client, alice: User):
        with time_machine.travel(NOON, tick=False):
            client.post(reverse("account_logout"))
            client.post(reverse("account_reset_password"), {"email": alice.email})
        assert Session.objects.get().user is None
        assert "You will be logged out" not in page(client, left=timedelta(minutes=5), address=reverse("help"))

    def test_says_nothing_where_it_keeps_the_session_itself(self, client: Client, rf: Any):
        with time_machine.travel(END - timedelta(minutes=5), tick=False):
            session = client.session
            session.get("anything")
            now = datetime.now(UTC)
            assert session_expiry.of(session, now=now) is not None
            session["something"] = "kept"
            assert session_expiry.of(session, now=now) is None


class TestStaying:
    def stay(self, client: Client, **sent: str) -> Any:
        return client.post(reverse("stay"), sent)

    def stay_and_look(self, client: Client) -> Any:
        return client.post(reverse("stay"), {"next": SETTINGS}, follow=True)

    def test_keeps_the_session_as_long_as_one_that_has_just_begun(self, client: Client):
        at = END - timedelta(minutes=5)
        with time_machine.travel(at, tick=False):
            answer = self.stay(client, next="/help/?a=1")
            assert answer["Location"] == "/help/?a=1"
            told = text(client.get(answer["Location"]))
        assert "You are still signed in." in told
        assert "You will be logged out" not in told
        assert Session.objects.get().expires_at == at + timedelta(seconds=settings.SESSION_COOKIE_AGE)
        with time_machine.travel(END + timedelta(hours=11), tick=False):
            assert client.get(SETTINGS).status_code == 200

    def test_from_the_page_itself_says_no_more_than_that_it_is_kept(self, client: Client):
        at = END - timedelta(minutes=5)
        with time_machine.travel(at, tick=False):
            assert self.stay(client, next=SETTINGS, here="1").status_code == 204
            assert "You are still signed in." not in text(client.get(SETTINGS))
        assert Session.objects.get().expires_at == at + timedelta(seconds=settings.SESSION_COOKIE_AGE)
        with time_machine.travel(at + timedelta(seconds=settings.SESSION_COOKIE_AGE), tick=False):
            assert self.stay(client, next=SETTINGS, here="1")["Location"] == SETTINGS  # too late

    def test_is_not_offered_where_the_day_is_over(self, client: Client):
        last_moment = NOON + settings.SESSION_LONGEST
        with time_machine.travel(END - timedelta(minutes=5), tick=False):
            self.stay(client)
        with time_machine.travel(last_moment - timedelta(minutes=14), tick=False):
            told = text(client.get(SETTINGS))
            assert "You will be logged out in 9 minutes" in told  # twelve hours after the button
            assert ">Stay<" in told
            assert "is lost" not in told
            self.stay(client)
        with time_machine.travel(last_moment - timedelta(minutes=5), tick=False):
            told = text(client.get(SETTINGS))
            assert "You will be logged out in 5 minutes" in told
            assert ">Stay<" not in told
            assert "Anything you type here is lost unless you send it before then." in told
            assert "You are still signed in." not in text(self.stay_and_look(client))

    @pytest.mark.parametrize("destination", ["https://elsewhere.example/", "//elsewhere.example", "javascript:x", ""])
    def test_leads_to_no_other_site(self, client: Client, destination: str):
        with time_machine.travel(END - timedelta(minutes=5), tick=False):
            assert self.stay(client, next=destination)["Location"] == reverse("home")

    def test_too_late_leads_to_signing_in_and_back(self, client: Client):
        with time_machine.travel(END + timedelta(minutes=1), tick=False):
            answer = client.post(reverse("stay"), {"next": SETTINGS}, follow=True)
        assert answer.redirect_chain[-1][0] == f"{reverse('account_login')}?next={SETTINGS}"
        assert "You were logged out to protect your record" in text(answer)
        assert "You are still signed in." not in text(answer)

    def test_is_no_link_that_somebody_else_can_set(self, client: Client):
        with time_machine.travel(END - timedelta(minutes=5), tick=False):
            assert client.get(reverse("stay")).status_code == 405
            strict = Client(enforce_csrf_checks=True)
            strict.cookies = client.cookies
            assert strict.post(reverse("stay"), {"next": SETTINGS}).status_code == 403
        assert Session.objects.get().expires_at == END
