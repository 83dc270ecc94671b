"""Mail about accounts: its language, the name in it, and the address it goes to."""

import uuid
from smtplib import SMTPDataError, SMTPRecipientsRefused
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from apps.accounts import mailing, user_agents
from apps.accounts.models import User
from tests.accounts.mail_servers import GOES_AWAY, REFUSES, taking_mail

ABOUT = {"code": "ABCD-EFGH"}


class TestAMail:
    def test_is_in_the_language_of_its_owner(self, alice: User):
        User.objects.filter(pk=alice.pk).update(language="es")
        mailing.send("account/email/password_reset_code", to=alice.email, context=ABOUT)
        (message,) = mail.outbox
        assert message.subject == "Su código para una contraseña nueva"
        assert str(message.body).startswith("Hola, Alice:")

    def test_greets_a_stranger_without_a_name(self, db: None):
        mailing.send("account/email/unknown_account", to="nobody@example.org", context={})
        assert str(mail.outbox[0].body).startswith("Hello,\n")

    def test_writes_a_name_as_it_is(self, alice: User):
        User.objects.filter(pk=alice.pk).update(first_name="D'Arcy & <Co>")
        mailing.send("account/email/password_reset_code", to=alice.email, context=ABOUT)
        assert str(mail.outbox[0].body).startswith("Hello D'Arcy & <Co>,")

    def test_links_to_our_origin_whatever_host_was_asked(self, client: Client, alice: User, settings: Any):
        settings.SITE_ORIGIN = "https://holdfast.example"
        settings.ALLOWED_HOSTS = ["*"]
        client.post(
            reverse("account_reset_password"), {"email": "nobody@example.org"}, headers={"Host": "evil.example"}
        )
        body = str(mail.outbox[0].body)
        assert "https://holdfast.example/accounts/signup/" in body
        assert "evil.example" not in body

    def test_is_identified_by_our_host_and_not_by_the_machine(self, db: None, settings: Any):
        settings.SITE_ORIGIN = "https://holdfast.example:8443"
        for _once in range(2):
            mailing.send("account/email/unknown_account", to="nobody@example.org", context={})
        first, second = (str(message.message()["Message-ID"]) for message in mail.outbox)
        assert first.endswith("@holdfast.example>")
        assert first != second

    def test_says_nothing_of_health_or_providers(self, alice: User):
        mailing.send("account/email/password_reset_code", to=alice.email, context=ABOUT)
        assert "provider" not in str(mail.outbox[0].body)


class TestAMailServer:
    """What came of a mail decides whether it may be sent once more."""

    def test_that_goes_away_with_the_mail_may_have_taken_it(self, db: None, settings: Any):
        with taking_mail(settings, GOES_AWAY) as mails, pytest.raises(mailing.PerhapsSent):
            mailing.send("account/email/unknown_account", to="nobody@example.org", context={})
        assert len(mails) == 1

    def test_that_says_no_has_not(self, db: None, settings: Any):
        with taking_mail(settings, REFUSES), pytest.raises(SMTPDataError):
            mailing.send("account/email/unknown_account", to="nobody@example.org", context={})

    def test_that_is_not_there_has_not(self, db: None, settings: Any):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
        with pytest.raises(ConnectionRefusedError):
            mailing.send("account/email/unknown_account", to="nobody@example.org", context={})

    def test_that_takes_it_is_told_good_bye(self, db: None, settings: Any):
        with taking_mail(settings, "250 Taken") as mails:
            mailing.send("account/email/unknown_account", to="nobody@example.org", context={})
        assert len(mails) == 1


class TestABrowser:
    @pytest.mark.parametrize(
        ("user_agent", "browser", "system"),
        [
            ("Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Windows"),
            (
                "Mozilla/5.0 (Windows NT 10.0) AppleWebKit Chrome/140.0 Safari/537.36 Edg/140.0",
                "Microsoft Edge",
                "Windows",
            ),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit Chrome/140.0 Safari/537.36", "Chrome", "Mac"),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1", "Safari", "iPhone"),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) CriOS/140.0 Safari/604.1", "Chrome", "iPhone"),
            (
                "Mozilla/5.0 (Linux; Android 16) SamsungBrowser/30.0 Chrome/140.0 Safari/537.36",
                "Samsung Internet",
                "Android",
            ),
            ("curl/8.0", "an unknown browser", "an unknown system"),
            ("", "an unknown browser", "an unknown system"),
        ],
    )
    def test_is_named_as_people_know_it(self, user_agent: str, browser: str, system: str):
        assert (user_agents.browser_name(user_agent), user_agents.system_name(user_agent)) == (browser, system)


class TestMailInTurn:
    """A round of mail to a hundred people; the server answers the first of them as it says."""

    @pytest.mark.parametrize(
        ("answers", "sent"),
        [([False] * 2, 98), ([False] * 3, 0), ([None] * 59, 41), ([None] * 60, 0), ([None, False] * 2, 96)],
    )
    def test_ends_where_the_server_is_at_fault_and_not_for_some_addresses(self, answers, sent):
        said = iter([*answers, *[True] * 100])
        people = [uuid.uuid4() for _ in range(100)]
        assert mailing.send_in_turn(people, lambda user_id: user_id, lambda _letter: next(said)) == sent

    def test_tells_an_address_that_takes_no_mail_from_one_that_takes_none_now(self):
        of = {code: mailing.not_sent(SMTPRecipientsRefused({"a@example.org": (code, b"")})) for code in (450, 550)}
        assert of == {450: False, 550: None}
        assert mailing.not_sent(SMTPDataError(554, b"")) is False
