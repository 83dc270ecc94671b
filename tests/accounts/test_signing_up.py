"""Creating an account: an address, a password, a code by mail."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.audit.models import AuditEvent

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ANN = {"first_name": "Ann", "email": "Ann@Example.org", "password1": "correct horse battery"}


def sign_up(client: Client, **changed: str):
    return client.post(reverse("account_signup"), {**ANN, **changed})


class TestSigningUp:
    def test_asks_for_first_name_address_and_password_and_nothing_else(self, client: Client):
        fields = client.get(reverse("account_signup")).context["form"].fields
        assert list(fields) == ["first_name", "email", "password1"]

    def test_opens_the_account_once_the_code_is_entered(self, client: Client, mailed_code: Callable[[], str]):
        answer = sign_up(client)
        assert answer["Location"] == reverse("account_email_verification_sent")
        assert "_auth_user_id" not in client.session
        client.post(answer["Location"], {"code": mailed_code()})
        user = User.objects.get()
        assert client.session["_auth_user_id"] == str(user.pk)
        assert (user.email, user.first_name) == ("ann@example.org", "Ann")
        assert list(AuditEvent.objects.order_by("pk").values_list("event", flat=True)) == [
            "user.signed_up",
            "user.signed_in",
        ]

    def test_does_not_warn_of_the_browser_it_was_done_in(self, client: Client, mailed_code: Callable[[], str]):
        sign_up(client)
        client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        assert [message.subject for message in mail.outbox] == ["Confirm your e-mail address"]

    def test_keeps_the_language_it_was_done_in(self, client: Client):
        client.cookies["django_language"] = "es"
        sign_up(client)
        assert User.objects.get().language == "es"

    def test_mails_a_code_that_greets_by_first_name_and_says_how_long_it_works(self, client: Client):
        sign_up(client)
        (message,) = mail.outbox
        assert message.subject == "Confirm your e-mail address"
        assert str(message.body).startswith("Hello Ann,")
        assert "30 minutes" in str(message.body)

    def test_needs_no_first_name(self, client: Client):
        sign_up(client, first_name="")
        assert str(mail.outbox[0].body).startswith("Hello,")

    def test_refuses_a_wrong_code_and_says_so(self, client: Client):
        sign_up(client)
        page = client.post(reverse("account_email_verification_sent"), {"code": "AAAA-AAAA"})
        assert b"This code is not right" in page.content
        assert "_auth_user_id" not in client.session

    def test_ends_after_three_wrong_codes(self, client: Client, mailed_code: Callable[[], str]):
        sign_up(client)
        for _ in range(3):
            client.post(reverse("account_email_verification_sent"), {"code": "AAAA-AAAA"})
        client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        assert "_auth_user_id" not in client.session

    def test_does_not_take_the_code_in_another_browser(self, client: Client, mailed_code: Callable[[], str]):
        sign_up(client)
        stranger = Client()
        stranger.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        assert "_auth_user_id" not in stranger.session

    def test_sends_a_new_code_and_says_so(self, client: Client):
        with time_machine.travel(NOON):
            sign_up(client)
        with time_machine.travel(NOON + timedelta(minutes=1)):
            page = client.post(reverse("account_email_verification_sent"), {"action": "resend"}, follow=True)
        assert len(mail.outbox) == 2
        assert "We sent a new code to ann@example.org." in page.content.decode()

    def test_refuses_a_code_that_is_too_old(self, client: Client, mailed_code: Callable[[], str]):
        with time_machine.travel(NOON):
            sign_up(client)
        with time_machine.travel(NOON + timedelta(minutes=31)):
            client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        assert "_auth_user_id" not in client.session

    def test_does_not_send_codes_without_end(self, client: Client):
        sign_up(client)
        assert client.post(reverse("account_email_verification_sent"), {"action": "resend"}).status_code == 429

    def test_lets_a_mistyped_address_be_corrected(self, client: Client):
        sign_up(client)
        client.post(reverse("account_email_verification_sent"), {"action": "change", "email": "ann@example.com"})
        assert mail.outbox[-1].to == ["ann@example.com"]

    @pytest.mark.parametrize("password", ["short", "password1234", "ann@example.org"])
    def test_refuses_a_password_that_is_easily_guessed(self, client: Client, password: str):
        page = sign_up(client, password1=password)
        assert page.context["form"].errors.keys() == {"password1"}
        assert not User.objects.exists()

    def test_does_not_tell_that_an_address_has_an_account(self, client: Client, alice: User):
        known, unknown = sign_up(client, email=alice.email), sign_up(Client(), email="nobody@example.org")
        assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
        to_alice = next(message for message in mail.outbox if message.to == [alice.email])
        assert to_alice.subject == "You already have a Holdfast account"
        assert User.objects.filter(email=alice.email).count() == 1
