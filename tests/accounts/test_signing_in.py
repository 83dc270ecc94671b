"""Signing in, and how those who must not get in are kept out."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from smtplib import SMTPServerDisconnected

import pytest
import time_machine
from axes.models import AccessAttempt
from django.core import mail
from django.core.cache import cache
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse

from apps.accounts import lockout
from apps.accounts.models import User
from apps.audit.models import AuditEvent
from tests.faults import listening
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def sign_in(client: Client, email: str, password: str = PASSWORD, **more: str):
    return client.post(reverse("account_login"), {"login": email, "password": password, **more})


class TestSigningIn:
    def test_opens_the_account_and_is_logged(self, client: Client, alice: User):
        assert sign_in(client, "ALICE@example.org")["Location"] == reverse("home")
        assert client.session["_auth_user_id"] == str(alice.pk)
        assert AuditEvent.objects.get().event == "user.signed_in"

    def test_says_the_same_for_a_wrong_password_and_an_unknown_address(self, client: Client, alice: User):
        wrong, unknown = sign_in(client, alice.email, "wrong"), sign_in(Client(), "nobody@example.org", "wrong")
        said = "This e-mail address and password do not match. Check both and try again."
        assert wrong.context["form"].non_field_errors() == [said]
        assert unknown.context["form"].non_field_errors() == [said]

    def test_puts_error_first_in_the_title(self, client: Client, alice: User):
        assert b"<title>Error: Sign in" in sign_in(client, alice.email, "wrong").content

    def test_goes_on_to_the_page_that_was_asked_for(self, client: Client, alice: User):
        assert sign_in(client, alice.email, next="/settings/")["Location"] == "/settings/"

    @pytest.mark.parametrize(
        "destination",
        [
            "https://evil.example/",
            "//evil.example/",
            "/\\evil.example/",
            "javascript:alert(1)",
            "https:evil.example",
            "http://testserver.evil.example/",
        ],
    )
    def test_never_leads_to_another_site(self, client: Client, alice: User, destination: str):
        assert sign_in(client, alice.email, next=destination)["Location"] == reverse("home")

    def test_refuses_a_closed_account(self, client: Client, alice: User):
        User.objects.filter(pk=alice.pk).update(is_active=False)
        sign_in(client, alice.email)
        assert "_auth_user_id" not in client.session

    def test_sets_the_language_the_person_chose(self, client: Client, alice: User):
        User.objects.filter(pk=alice.pk).update(language="es")
        assert sign_in(client, alice.email).cookies["django_language"].value == "es"


class TestANewBrowser:
    def test_is_reported_to_the_owner(self, client: Client, alice: User):
        client.post(
            reverse("account_login"),
            {"login": alice.email, "password": PASSWORD},
            headers={"User-Agent": "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"},
        )
        (message,) = mail.outbox
        assert message.subject == "New sign-in to your Holdfast account"
        assert "with Firefox on Windows" in str(message.body)
        assert "http://testserver/accounts/sessions/" in str(message.body)

    def test_is_known_the_next_time(self, client: Client, alice: User):
        sign_in(client, alice.email)
        client.post(reverse("account_logout"))
        mail.outbox.clear()
        sign_in(client, alice.email)
        assert mail.outbox == []

    def test_is_new_again_after_a_new_password_was_set_elsewhere(self, client: Client, alice: User):
        sign_in(client, alice.email)
        client.post(reverse("account_logout"))
        mail.outbox.clear()
        alice.set_password("a whole new sentence")
        alice.save()
        client.post(reverse("account_login"), {"login": alice.email, "password": "a whole new sentence"})
        assert len(mail.outbox) == 1

    def test_gets_in_although_no_mail_can_be_sent(self, client: Client, alice: User, monkeypatch, caplog):
        def refused(_message: object) -> None:
            raise SMTPServerDisconnected

        monkeypatch.setattr(mail.EmailMessage, "send", refused)
        assert sign_in(client, alice.email)["Location"] == reverse("home")
        assert "A mail about the account was not sent" in caplog.text
        assert alice.email not in caplog.text.replace("********************", "")

    def test_reads_that_something_of_ours_is_away_where_the_code_cannot_be_mailed(
        self, alice: User, monkeypatch, caplog
    ):
        def refused(_message: object) -> None:
            raise SMTPServerDisconnected(f"{alice.email} is not taken")

        monkeypatch.setattr(mail.EmailMessage, "send", refused)
        client = Client(raise_request_exception=False)
        answer = client.post(reverse("account_reset_password"), {"email": alice.email})
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        assert "Try again in a minute" in answer.content.decode()
        assert "A mail that somebody waits for was not sent: SMTPServerDisconnected." in caplog.text
        assert "is not taken" not in caplog.text

    def test_is_new_to_each_account(self, client: Client, alice: User, sam: User):
        sign_in(client, alice.email)
        client.post(reverse("account_logout"))
        sign_in(client, sam.email)
        assert [message.to for message in mail.outbox] == [[alice.email], [sam.email]]

    def test_is_not_known_by_a_cookie_of_its_own_making(self, client: Client, alice: User):
        client.cookies["known_browser"] = str(alice.pk)
        sign_in(client, alice.email)
        assert len(mail.outbox) == 1


class TestTooManyTries:
    def test_are_slowed_down_by_account_and_address(self, client: Client, alice: User):
        for _ in range(5):
            sign_in(client, alice.email, "wrong")
        assert sign_in(client, alice.email).context["form"].non_field_errors() == [
            "Too many tries. Wait a few minutes, then try again."
        ]

    def test_are_slowed_down_by_address(self, client: Client, db: None):
        answers = [sign_in(client, f"person{number}@example.org", "wrong") for number in range(31)]
        assert answers[-1].status_code == 429
        assert "Too many tries" in answers[-1].content.decode()

    def test_lock_the_pair_of_account_and_address_out(self, client: Client, alice: User):
        lock_out(client, alice.email)
        page = sign_in(client, alice.email)
        assert page.status_code == 429
        assert "Wait 30 minutes" in page.content.decode()
        assert "_auth_user_id" not in client.session

    def test_slow_nobody_down_elsewhere(self, client: Client, alice: User):
        for _ in range(6):
            sign_in(client, alice.email, "wrong")
        elsewhere = Client(REMOTE_ADDR="203.0.113.9")
        sign_in(elsewhere, alice.email)
        assert elsewhere.session["_auth_user_id"] == str(alice.pk)

    def test_lock_nobody_out_elsewhere(self, client: Client, alice: User):
        lock_out(client, alice.email)
        elsewhere = Client(REMOTE_ADDR="203.0.113.9")
        sign_in(elsewhere, alice.email)
        assert elsewhere.session["_auth_user_id"] == str(alice.pk)

    def test_lock_no_other_account_out(self, client: Client, alice: User, sam: User):
        lock_out(client, alice.email)
        cache.key_prefix += "later"
        sign_in(client, sam.email)
        assert client.session["_auth_user_id"] == str(sam.pk)

    def test_lock_unknown_accounts_out_just_the_same(self, client: Client, db: None):
        lock_out(client, "nobody@example.org")
        assert sign_in(client, "nobody@example.org").status_code == 429

    def test_are_forgotten_after_half_an_hour(self, client: Client, alice: User):
        with time_machine.travel(NOON, tick=False):
            lock_out(client, alice.email)
        cache.key_prefix += "later"
        with time_machine.travel(NOON + timedelta(minutes=31), tick=False):
            sign_in(client, alice.email)
            assert client.session["_auth_user_id"] == str(alice.pk)

    @pytest.mark.parametrize("typed", ["alice@example.org", " Alice@Example.org "])
    def test_are_counted_under_one_spelling(self, typed: str):
        assert lockout.account_named(HttpRequest(), {"email": typed}) == "alice@example.org"

    def test_are_not_hidden_by_a_forged_forwarding_header(self, client: Client, alice: User):
        lock_out(client, alice.email)
        cache.key_prefix += "later"
        page = client.post(
            reverse("account_login"),
            {"login": alice.email, "password": PASSWORD},
            headers={"X-Forwarded-For": "203.0.113.77"},
        )
        assert page.status_code == 429


def lock_out(client: Client, email: str) -> None:
    """Ten wrong passwords, slowly enough for the counters of minutes, which start anew each time."""
    for number in range(10):
        cache.key_prefix += str(number)
        sign_in(client, email, "wrong")


class TestResettingAPassword:
    def test_takes_a_code_and_then_a_new_password(self, client: Client, alice: User, mailed_code: Callable[[], str]):
        client.post(reverse("account_reset_password"), {"email": alice.email})
        client.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        client.post(reverse("account_complete_password_reset"), {"password1": "a whole new sentence"})
        assert "_auth_user_id" not in client.session
        sign_in(client, alice.email, "a whole new sentence")
        assert client.session["_auth_user_id"] == str(alice.pk)
        assert "user.password_changed" in AuditEvent.objects.values_list("event", flat=True)

    def test_says_once_that_it_is_done(self, client: Client, alice: User, mailed_code: Callable[[], str]):
        client.post(reverse("account_reset_password"), {"email": alice.email})
        client.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        new = {"password1": "a whole new sentence"}
        page = client.post(reverse("account_complete_password_reset"), new, follow=True).content.decode()
        assert page.partition("<main")[2].count("Your password is changed") == 1

    def test_tells_the_owner(self, client: Client, alice: User, mailed_code: Callable[[], str]):
        client.post(reverse("account_reset_password"), {"email": alice.email})
        client.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        client.post(reverse("account_complete_password_reset"), {"password1": "a whole new sentence"})
        assert mail.outbox[-1].subject == "Your Holdfast password was changed"

    def test_does_not_tell_whether_there_is_an_account(self, client: Client, alice: User):
        known = client.post(reverse("account_reset_password"), {"email": alice.email})
        unknown = Client().post(reverse("account_reset_password"), {"email": "nobody@example.org"})
        assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
        assert mail.outbox[-1].subject == "There is no Holdfast account with this address"

    def test_does_not_take_the_code_in_another_browser(
        self, client: Client, alice: User, mailed_code: Callable[[], str]
    ):
        client.post(reverse("account_reset_password"), {"email": alice.email})
        stranger = Client()
        stranger.post(reverse("account_confirm_password_reset_code"), {"code": mailed_code()})
        page = stranger.get(reverse("account_complete_password_reset"), follow=True)
        assert "password1" not in getattr(page.context.get("form"), "fields", {})


class TestLoggingOut:
    def test_ends_the_session_and_clears_the_browser(self, client: Client, alice: User):
        sign_in(client, alice.email)
        answer = client.post(reverse("account_logout"))
        assert answer["Clear-Site-Data"] == '"cache", "storage"'
        assert "_auth_user_id" not in client.session
        assert AuditEvent.objects.order_by("-pk")[0].event == "user.signed_out"

    def test_asks_before_it_acts_on_a_link(self, client: Client, alice: User):
        sign_in(client, alice.email)
        client.get(reverse("account_logout"))
        assert "_auth_user_id" in client.session

    def test_does_nothing_to_somebody_who_is_not_signed_in(self, client: Client, db: None):
        assert "Clear-Site-Data" not in client.post(reverse("account_logout"))


class TestWhatIsKeptOfAFailure:
    def test_holds_the_account_and_no_password(self, client: Client, alice: User):
        sign_in(client, alice.email, "canary-password")
        kept = json.dumps(list(AccessAttempt.objects.values()), default=str)
        assert alice.email in kept
        assert "canary-password" not in kept

    def test_holds_no_page_that_somebody_was_on_their_way_to(self, client: Client, alice: User):
        page = reverse("subject", args=["conditions"])
        typed = {"login": alice.email, "password": "canary-password", "next": page}
        client.post(f"{reverse('account_login')}?next={page}", typed)
        (kept,) = AccessAttempt.objects.values()
        assert page not in json.dumps(kept, default=str)


class TestWhatIsLogged:
    def test_holds_no_password_and_no_mailed_code(self, client: Client, alice: User, mailed_code: Callable[[], str]):
        with listening.to_everything() as heard:
            for password in ("a wrong canary", PASSWORD):
                Client().post(reverse("account_login"), {"login": alice.email, "password": password})
            client.post(reverse("account_reset_password"), {"email": alice.email})
            code = mailed_code()
            client.post(reverse("account_confirm_password_reset_code"), {"code": code})
            client.post(reverse("account_complete_password_reset"), {"password1": "a new canary"})
        said = "\n".join(heard.texts)
        assert "request" in said
        canaries = ("a wrong canary", PASSWORD, code, code.replace("-", ""), "a new canary")
        assert [canary for canary in canaries if canary in said] == []
