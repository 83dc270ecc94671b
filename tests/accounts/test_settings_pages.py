"""What people can change about their own account, and that nobody else can."""

from collections.abc import Callable
from smtplib import SMTPServerDisconnected

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Session, User
from apps.audit.models import AuditEvent
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
SIGNED_IN_ONLY = [
    "settings",
    "agree",
    "account_email",
    "account_change_password",
    "account_reauthenticate",
    "mfa_index",
    "mfa_activate_totp",
    "mfa_list_webauthn",
    "mfa_add_webauthn",
    "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes",
    "mfa_download_recovery_codes",
    "sessions",
    "warnings",
]


@pytest.mark.parametrize("name", SIGNED_IN_ONLY)
class TestAPageOfTheAccount:
    def test_asks_a_stranger_to_sign_in(self, client: Client, name: str):
        answer = client.get(reverse(name))
        assert answer.status_code == 302
        assert answer["Location"].startswith(reverse("account_login"))


class TestSettings:
    def test_show_what_is_theirs(self, alice_client: Client, alice: User, sam: User):
        page = alice_client.get(reverse("settings")).content.decode()
        assert alice.email in page
        assert sam.email not in page

    def test_are_kept_nowhere(self, alice_client: Client):
        assert alice_client.get(reverse("settings"))["Cache-Control"] == "no-store, private"


class TestWhetherToBeAskedBeforeSensitiveNews:
    def test_is_yes_until_somebody_chooses_otherwise_for_themselves(self, alice_client: Client, alice: User, sam: User):
        assert 'value="ask" id="sensitive-ask" checked' in alice_client.get(reverse("settings")).content.decode()
        answer = alice_client.post(reverse("choose_grave_news"), {"sensitive": "show"})
        assert answer["Location"] == reverse("settings")
        page = alice_client.get(reverse("settings")).content.decode()
        assert 'value="show" id="sensitive-show" checked' in page
        assert 'id="sensitive-ask" checked' not in page
        sam.refresh_from_db()
        assert sam.asks_before_grave_news
        alice_client.post(reverse("choose_grave_news"), {"sensitive": "ask"})
        alice.refresh_from_db()
        assert alice.asks_before_grave_news

    @pytest.mark.parametrize("sent", [{}, {"sensitive": ""}, {"sensitive": "False"}])
    def test_is_changed_by_nothing_else(self, alice_client: Client, alice: User, sent: dict[str, str]):
        alice_client.post(reverse("choose_grave_news"), sent)
        alice.refresh_from_db()
        assert alice.asks_before_grave_news

    def test_is_asked_of_nobody_who_is_not_signed_in(self, client: Client):
        answer = client.post(reverse("choose_grave_news"), {"sensitive": "show"})
        assert answer["Location"].startswith(reverse("account_login"))

    def test_is_changed_by_no_link(self, alice_client: Client):
        assert alice_client.get(reverse("choose_grave_news"), {"sensitive": "show"}).status_code == 405


class TestChangingThePassword:
    def test_takes_the_old_one(self, alice_client: Client, alice: User):
        url = reverse("account_change_password")
        page = alice_client.post(url, {"oldpassword": "wrong", "password1": "a whole new sentence"})
        assert page.context["form"].errors["oldpassword"] == ["This is not your current password."]
        alice_client.post(url, {"oldpassword": PASSWORD, "password1": "a whole new sentence"})
        alice.refresh_from_db()
        assert alice.check_password("a whole new sentence")

    def test_tells_the_owner_and_the_log(self, alice_client: Client, alice: User):
        alice_client.post(
            reverse("account_change_password"), {"oldpassword": PASSWORD, "password1": "a whole new sentence"}
        )
        assert [message.to for message in mail.outbox] == [[alice.email]]
        assert AuditEvent.objects.filter(event="user.password_changed", user_id=alice.pk).exists()

    def test_is_done_although_no_mail_can_be_sent(self, alice_client: Client, alice: User, monkeypatch):
        def refused(_message: object) -> None:
            raise SMTPServerDisconnected

        monkeypatch.setattr(mail.EmailMessage, "send", refused)
        url = reverse("account_change_password")
        assert alice_client.post(url, {"oldpassword": PASSWORD, "password1": "a whole new sentence"}).status_code == 302
        alice.refresh_from_db()
        assert alice.check_password("a whole new sentence")


class TestChangingTheAddress:
    def test_waits_for_the_code(self, alice_client: Client, alice: User, mailed_code: Callable[[], str]):
        alice_client.post(reverse("account_email"), {"email": "alice@example.com", "action_add": ""})
        alice.refresh_from_db()
        assert alice.email == "alice@example.org"
        alice_client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        alice.refresh_from_db()
        assert alice.email == "alice@example.com"
        assert list(EmailAddress.objects.values_list("email", "verified")) == [("alice@example.com", True)]

    def test_is_logged(self, alice_client: Client, alice: User, mailed_code: Callable[[], str]):
        alice_client.post(reverse("account_email"), {"email": "alice@example.com", "action_add": ""})
        alice_client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        assert AuditEvent.objects.filter(event="user.email_changed", user_id=alice.pk).exists()

    def test_tells_the_old_address(self, alice_client: Client, mailed_code: Callable[[], str]):
        alice_client.post(reverse("account_email"), {"email": "alice@example.com", "action_add": ""})
        alice_client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        told = [message for message in mail.outbox if message.subject == "Your Holdfast e-mail address was changed"]
        assert ["alice@example.org"] in [message.to for message in told]

    def test_does_not_take_somebody_elses(
        self, alice_client: Client, alice: User, sam: User, mailed_code: Callable[[], str]
    ):
        answer = alice_client.post(reverse("account_email"), {"email": sam.email, "action_add": ""})
        assert answer["Location"] == reverse("account_email_verification_sent")  # as for any other address
        alice_client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        alice.refresh_from_db()
        assert alice.email == "alice@example.org"
        assert EmailAddress.objects.get(email=sam.email, verified=True).user == sam

    def test_says_whose_it_is_to_whoever_reads_its_mail(
        self, alice_client: Client, sam: User, mailed_code: Callable[[], str]
    ):
        alice_client.post(reverse("account_email"), {"email": sam.email, "action_add": ""})
        answer = alice_client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        assert "This address belongs to another account. Nothing was changed." in answer.content.decode()

    @pytest.fixture
    def squatter(self) -> User:
        """Somebody who signed up with an address, and cannot read its mail."""
        Client().post(reverse("account_signup"), {"email": "alice@example.com", "password1": "correct horse battery"})
        cache.key_prefix += "later"  # a second code to one address waits a moment
        return User.objects.get(email="alice@example.com")

    def test_takes_one_with_which_another_signed_up_who_cannot_read_its_mail(
        self, alice_client: Client, alice: User, sam: User, squatter: User, mailed_code: Callable[[], str]
    ):
        """Else anybody could keep them from their own address."""
        alice_client.post(reverse("account_email"), {"email": squatter.email, "action_add": ""})
        assert User.objects.filter(pk=squatter.pk).exists()
        alice_client.post(reverse("account_email_verification_sent"), {"code": mailed_code()})
        alice.refresh_from_db()
        assert alice.email == "alice@example.com"
        assert set(User.objects.all()) == {alice, sam}
        assert AuditEvent.objects.get(event="user.purged").user_id == squatter.pk

    def test_takes_none_by_a_wrong_code(self, alice_client: Client, alice: User, squatter: User):
        alice_client.post(reverse("account_email"), {"email": squatter.email, "action_add": ""})
        alice_client.post(reverse("account_email_verification_sent"), {"code": "AAA-AAA"})
        assert set(User.objects.all()) == {alice, squatter}


class TestTheListOfSessions:
    def test_names_browser_and_system(self, alice: User):
        client = Client(headers={"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/605.1"})
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        assert "Safari on iPhone" in client.get(reverse("sessions")).content.decode()

    def test_ends_the_others(self, alice_client: Client, alice: User):
        other = Client()
        other.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        other.get(reverse("settings"))
        alice_client.post(reverse("sessions"))
        assert other.get(reverse("settings")).status_code == 302
        assert alice_client.get(reverse("settings")).status_code == 200
        assert AuditEvent.objects.filter(event="user.session_ended", user_id=alice.pk).count() == 1

    def test_ends_nobody_elses(self, alice_client: Client, sam: User):
        other = Client()
        other.post(reverse("account_login"), {"login": sam.email, "password": PASSWORD})
        alice_client.post(reverse("sessions"))
        assert other.get(reverse("settings")).status_code == 200
        assert Session.objects.count() == 2


class TestAPasskey:
    def test_is_renamed_and_removed_by_its_owner_alone(self, alice: User, sam: User, client: Client):
        passkey = Authenticator.objects.create(user=alice, type="webauthn", data={"name": "phone"})
        client.post(reverse("account_login"), {"login": sam.email, "password": PASSWORD})
        client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
            assert client.get(reverse(name, args=[passkey.pk])).status_code == 404
            assert client.post(reverse(name, args=[passkey.pk]), {"name": "mine"}).status_code == 404
        assert Authenticator.objects.filter(pk=passkey.pk).exists()

    def test_is_called_as_its_owner_called_it_wherever_they_see_it(self, alice: User, alice_client: Client):
        passkey = Authenticator.objects.create(user=alice, type="webauthn", data={"name": "phone", "credential": {}})
        pages = [alice_client.get(reverse("mfa_list_webauthn"))]
        pages += [
            alice_client.get(reverse(name, args=[passkey.pk])) for name in ("mfa_edit_webauthn", "mfa_remove_webauthn")
        ]
        assert all("phone" in page.content.decode() for page in pages)
