"""After a session has ended, its user reads so, and nobody else does."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.urls import reverse

from apps.accounts import ended_sessions
from apps.accounts.models import Session, User
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LONG_AFTER = NOON + settings.SESSION_COOKIE_AGE * timedelta(seconds=1) + timedelta(minutes=1)
ENDED = "You were logged out to protect your record"
GO_ON = "Sign in to continue where you were."
CONNECTIONS = "/connections/"


def sign_in(client: Client, user: User) -> Client:
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    return client


def text(answer: Any) -> str:
    found: str = answer.content.decode()
    return found


class TestSomebodyWhoseSessionEnded:
    def test_by_itself_reads_so_and_where_signing_in_leads(self, client: Client, alice: User):
        with time_machine.travel(NOON, tick=False):
            sign_in(client, alice)
        with time_machine.travel(LONG_AFTER, tick=False):
            answer = client.get(CONNECTIONS, follow=True)
        assert text(answer).count(ENDED) == 1
        assert GO_ON in text(answer)
        assert answer.redirect_chain == [(f"{reverse('account_login')}?next={CONNECTIONS}", 302)]

    def test_and_is_forgotten_already_reads_so_all_the_same(self, client: Client, alice: User):
        sign_in(client, alice)
        Session.objects.all().delete()
        assert ENDED in text(client.get(CONNECTIONS, follow=True))

    def test_while_they_filled_in_a_form_reads_so(self, client: Client, alice: User):
        sign_in(client, alice)
        Session.objects.all().delete()
        assert ENDED in text(client.post(reverse("choose_grave_news"), {"sensitive": "ask"}, follow=True))

    def test_reads_it_once(self, client: Client, alice: User):
        sign_in(client, alice)
        Session.objects.all().delete()
        client.get(CONNECTIONS, follow=True)
        assert ENDED not in text(client.get(CONNECTIONS, follow=True))

    def test_reads_it_on_the_page_and_not_in_its_part(self, client: Client, alice: User):
        sign_in(client, alice)
        Session.objects.all().delete()
        part = client.get(CONNECTIONS, headers={"HX-Request": "true"})
        assert part["HX-Refresh"] == "true"
        assert ENDED in text(client.get(CONNECTIONS, follow=True))

    def test_reads_it_in_their_language(self, client: Client, alice: User):
        User.objects.update(language="es")
        sign_in(client, alice)
        Session.objects.all().delete()
        answer = client.get(CONNECTIONS, follow=True)
        assert "Cerramos su sesión para proteger su expediente" in text(answer)
        assert "Inicie sesión para continuar donde estaba." in text(answer)

    def test_gets_there_by_signing_in_and_reads_no_more_of_it(self, client: Client, alice: User):
        sign_in(client, alice)
        Session.objects.all().delete()
        client.get(CONNECTIONS, follow=True)
        answer = client.post(
            f"{reverse('account_login')}?next={CONNECTIONS}",
            {"login": alice.email, "password": PASSWORD, "next": CONNECTIONS},
            follow=True,
        )
        assert answer.redirect_chain[-1][0] == CONNECTIONS
        assert ENDED not in text(answer)

    def test_has_nothing_of_it_in_an_address(self, client: Client, alice: User):
        sign_in(client, alice)
        Session.objects.all().delete()
        assert unquote(client.get(CONNECTIONS)["Location"]) == f"{reverse('account_login')}?next={CONNECTIONS}"

    def test_and_who_pressed_log_out_afterwards_does_not_read_it(self, client: Client, alice: User):
        sign_in(client, alice)
        Session.objects.all().delete()
        client.post(reverse("account_logout"))
        assert ENDED not in text(client.get(CONNECTIONS, follow=True))

    def test_reads_nothing_of_it_where_they_gave_up_the_second_step(self, client: Client, alice: User):
        """Cancelling leads to the sign-in page too, from no page that was asked for."""
        sign_in(client, alice)
        Session.objects.all().delete()
        client.get(reverse("account_login"))
        answer = client.post(reverse("account_logout"), {"next": reverse("account_login")}, follow=True)
        assert ENDED not in text(answer)


class TestSomebodyElse:
    def test_who_was_never_signed_in_here_does_not_read_it(self, client: Client, db: None):
        answer = client.get(CONNECTIONS, follow=True)
        assert ENDED not in text(answer)
        assert GO_ON in text(answer)

    def test_with_a_session_that_was_nobodys_does_not_read_it(self, client: Client, alice: User):
        client.post(reverse("account_reset_password"), {"email": alice.email})
        assert Session.objects.filter(user=None).exists()
        Session.objects.all().delete()
        assert ENDED not in text(client.get(CONNECTIONS, follow=True))

    def test_who_logged_out_does_not_read_it(self, client: Client, alice: User):
        sign_in(client, alice)
        client.post(reverse("account_logout"))
        assert ENDED not in text(client.get(CONNECTIONS, follow=True))

    def test_who_closed_the_account_does_not_read_it(self, alice_client: Client):
        assert alice_client.post(reverse("close_account"))["Location"] == reverse("home")
        assert not User.objects.exists()
        alice_client.get(reverse("home"))  # which says that it is closed
        assert ENDED not in text(alice_client.get(CONNECTIONS, follow=True))

    def test_who_is_signed_in_does_not_read_it(self, alice_client: Client):
        assert ended_sessions.COOKIE in alice_client.cookies
        assert ENDED not in text(alice_client.get(CONNECTIONS, follow=True))


class TestTheMark:
    def test_says_nobodys_name_and_goes_with_the_browsers_session(self, client: Client, alice: User):
        kept = sign_in(client, alice).cookies[ended_sessions.COOKIE]
        assert (kept.value, kept["max-age"], kept["expires"]) == ("1", "", "")
        assert (kept["httponly"], kept["samesite"]) == (True, "Lax")

    def test_has_no_word_of_its_maker_on_the_page(self, client: Client, db: None):
        client.cookies[ended_sessions.COOKIE] = "<b>call this number</b>"
        answer = client.get(CONNECTIONS, follow=True)
        assert ENDED in text(answer)
        assert "call this number" not in text(answer)

    def test_signs_nobody_in(self, client: Client, db: None):
        client.cookies[ended_sessions.COOKIE] = "1"
        assert client.get(CONNECTIONS).status_code == 302
