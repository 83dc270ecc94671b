"""Creating an account with an address, a password, and a code that is mailed."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.hashers import MD5PasswordHasher
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

    @pytest.mark.parametrize("page", ["account_signup", "account_reset_password"])
    def test_takes_no_address_that_mail_cannot_be_sent_to(self, client: Client, page: str):
        """The domain is valid as it is typed, and too long as it would be asked for."""
        answer = client.post(reverse(page), {**ANN, "email": f"ann@{'ä' * 62}.example"})
        assert answer.context["form"].errors["email"] == ["Enter a valid email address."]
        assert not User.objects.exists()
        sign_up(client, email="ann@büro.example")
        assert User.objects.get().email == "ann@büro.example"

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

    def test_asks_for_the_code_in_a_field_in_which_no_phone_mends_words(self, client: Client):
        field = re.search(r'<input[^>]*name="code"[^>]*>', client.get(sign_up(client)["Location"]).content.decode())
        assert field is not None
        assert 'autocorrect="off"' in field[0]
        assert 'autocapitalize="none"' in field[0]

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

    @pytest.mark.parametrize("name", ["http://evil.example", "evil.example now", "a@b", "You won: evil", "<b>"])
    def test_greets_nobody_with_an_address_that_somebody_else_wrote(self, client: Client, name: str):
        page = sign_up(client, first_name=name)
        assert page.context["form"].errors.keys() == {"first_name"}
        assert mail.outbox == []

    @pytest.mark.parametrize("name", ["J.R.", "Mary Ann", "O'Neil", "José-Luís", "Dr. No"])
    def test_greets_by_the_names_that_people_have(self, client: Client, name: str):
        sign_up(client, first_name=name)
        assert str(mail.outbox[0].body).startswith(f"Hello {name},")

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

    def test_starts_again_after_a_mistyped_address(self, client: Client, mailed_code: Callable[[], str]):
        sign_up(client, email="mistyped@example.org")
        page = client.post(reverse("account_logout"), {"next": reverse("account_signup")}, follow=True)
        assert page.context["form"].initial == {}
        sign_up(client)
        client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        assert client.session["_auth_user_id"] == str(User.objects.get(email="ann@example.org").pk)

    def test_names_what_is_missing_where_the_errors_are_listed(self, client: Client):
        page = sign_up(client, email="", password1="").content.decode()
        assert '<a href="#id_email">Missing: E-mail address</a>' in page
        assert '<a href="#id_password1">Missing: Password</a>' in page

    @pytest.mark.parametrize("password", ["short", "password1234", "ann@example.org"])
    def test_refuses_a_password_that_is_easily_guessed(self, client: Client, password: str):
        page = sign_up(client, password1=password)
        assert page.context["form"].errors.keys() == {"password1"}
        assert not User.objects.exists()

    def test_mails_whoever_has_an_account_already(self, client: Client, alice: User):
        sign_up(client, email=alice.email)
        (message,) = mail.outbox
        assert (message.to, message.subject) == ([alice.email], "You already have a Holdfast account")
        assert User.objects.count() == 1


class CountingHasher(MD5PasswordHasher):
    """Counts the passwords that were hashed, which is what takes time."""

    algorithm = "counting"
    hashed = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.hashed += 1
        return super().encode(password, salt)


class TestAnAddressThatHasAnAccount:
    """Whoever signs up with it must not learn that, whatever they press."""

    def test_looks_like_a_new_one_at_every_step(self, alice: User):
        assert answers_to(alice.email) == answers_to("nobody@example.org")

    def test_takes_as_long_as_a_new_one(self, alice: User, settings: Any):
        settings.PASSWORD_HASHERS = [f"{CountingHasher.__module__}.{CountingHasher.__qualname__}"]
        counted = []
        for email in (alice.email, "nobody@example.org"):
            before = CountingHasher.hashed
            sign_up(Client(), email=email)
            counted.append(CountingHasher.hashed - before)
        assert counted == [1, 1]


def answers_to(email: str) -> list[tuple[int, str | None, str]]:
    """Everything a browser sees that signs up with this address and then tries whatever the pages offer."""
    code, log_out = reverse("account_email_verification_sent"), reverse("account_logout")
    client = Client()
    with time_machine.travel(NOON):
        seen = [sign_up(client, email=email), client.get(code)]
        seen += [client.post(code, {"action": "resend"}), client.post(code, {"code": ""})]
        seen += [client.post(code, {"action": "change", "email": typed}) for typed in ("x", "new@example.org")]
    client = Client()
    with time_machine.travel(NOON + timedelta(minutes=5)):
        sign_up(client, email=email)
    with time_machine.travel(NOON + timedelta(minutes=9)):
        seen += [client.post(code, {"action": "resend"}), client.get(code)]
        seen += [client.post(code, {"code": "AAAA-AAAA"}) for _ in range(4)]
        seen += [client.get(code), client.get(reverse("account_login"))]
        sign_up(client, email=email)
        seen += [client.get(reverse("account_signup")), client.post(log_out), client.get(code), client.get("/")]
    return [(page.status_code, page.get("Location"), without_tokens(page, email)) for page in seen]


def without_tokens(page: Any, email: str) -> str:
    """The page's text less what differs at every visit."""
    return re.sub(r'(csrfmiddlewaretoken" value=")[^"]*', r"\1", page.content.decode()).replace(email, "…")
