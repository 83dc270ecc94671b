"""The page that closes an account: it requires the password, a POST does it, and the welcome page says so."""

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Session, User
from apps.audit.models import AuditEvent, EventType
from apps.connections import tasks
from apps.connections.models import Connection
from apps.records.models import Record, Shelf
from tests.fixtures.cast import PASSWORD
from tests.portal import leavers

pytestmark = pytest.mark.django_db

ADDRESS = "/settings/close/"


@pytest.fixture
def browser(alice):
    """Alice, who gave her password a moment ago."""
    browser = leavers.sign_in(alice)
    mail.outbox.clear()
    return browser


def words(answer):
    return " ".join(answer.content.decode().split())


class TestTheQuestion:
    def test_says_what_would_go(self, browser, linked):
        page = words(browser.get(ADDRESS))
        assert "<h1>Delete your account and every copy?</h1>" in page
        goes = "2 entries in your lists are deleted at once, with everything else that came from your providers."
        assert f"1 connection ends. {goes} Your providers keep their own records." in page

    def test_says_that_everything_goes_where_lists_cannot_count_it(self, browser, linked):
        Shelf.objects.exclude(subject="patient").update(sealed_index=b"not to be opened")
        page = words(browser.get(ADDRESS))
        assert "1 connection ends. Everything that came from your providers is deleted at once." in page
        assert 'href="/download/">Download first</a>' in page

    def test_offers_a_copy_first(self, browser, linked):
        assert 'href="/download/">Download first</a>' in words(browser.get(ADDRESS))

    def test_offers_no_copy_where_there_is_none(self, browser):
        assert "Download first" not in words(browser.get(ADDRESS))

    def test_counts_nothing_where_there_is_nothing(self, browser):
        page = words(browser.get(ADDRESS))
        assert '<p class="lead"> Your providers keep their own records. This cannot be undone. </p>' in page

    @pytest.mark.parametrize("method", ["get", "head"])
    def test_changes_nothing(self, browser, linked, method):
        before = leavers.rows()
        getattr(browser, method)(ADDRESS, {"delete": "everything"})
        assert leavers.rows() == before

    def test_wants_the_password_first(self, client, alice):
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        answer = client.get(ADDRESS)
        assert answer["Location"].startswith(reverse("account_reauthenticate"))
        answer = client.post(answer["Location"], {"password": PASSWORD, "next": ADDRESS}, follow=True)
        assert "Delete your account and every copy?" in words(answer)

    def test_is_found_in_the_settings(self, browser):
        assert f'href="{ADDRESS}"' in words(browser.get(reverse("settings")))

    def test_is_kept_nowhere(self, browser):
        assert "no-store" in browser.get(ADDRESS)["Cache-Control"]


class TestTheAnswer:
    def test_closes_the_account_and_signs_out(self, browser, alice, linked):
        answer = browser.post(ADDRESS)
        assert answer["Location"] == "/"
        assert answer["Clear-Site-Data"] == '"cache", "storage"'
        assert "no-store" in answer["Cache-Control"]
        assert not User.objects.exists()
        page = words(browser.get("/"))
        assert "Your account is closed." in page
        assert "Create an account" in page
        assert [message.subject for message in mail.outbox] == ["Your Holdfast account is deleted"]

    def test_says_where_a_provider_cannot_be_told(self, browser, linked):
        page = words(browser.post(ADDRESS, follow=True))
        assert "Not every provider gave us a way to tell them." in page
        assert "We are telling your providers" not in page

    def test_has_the_providers_told_by_a_task(
        self, browser, linked, endpoint, monkeypatch, django_capture_on_commit_callbacks
    ):
        server = endpoint.authorization_server
        server.revocation_url = "https://provider.example/revoke"
        server.save()
        sent = []
        monkeypatch.setattr(tasks.tell_providers, "apply_async", lambda **options: sent.append(options))
        with django_capture_on_commit_callbacks(execute=True):
            page = words(browser.post(ADDRESS, follow=True))
        assert len(sent) == 1
        assert "We are telling your providers to end the permission." in page
        assert "Not every provider" not in page

    def test_says_no_more_than_happened_where_nothing_was_linked(self, browser):
        page = words(browser.post(ADDRESS, follow=True))
        assert "Not every provider" not in page
        assert "We are telling your providers" not in page

    def test_shows_the_welcome_page_when_pressed_twice(self, browser):
        browser.post(ADDRESS)
        answer = browser.post(ADDRESS, follow=True)
        assert answer.redirect_chain == [("/", 302)]
        assert "Create an account" in words(answer)
        assert AuditEvent.objects.filter(event=EventType.ACCOUNT_CLOSED).count() == 1

    def test_ends_the_sessions_of_other_browsers(self, browser, alice):
        other = leavers.sign_in(alice)
        browser.post(ADDRESS)
        assert other.get(reverse("settings"))["Location"].startswith(reverse("account_login"))
        assert not Session.objects.exists()

    def test_leaves_an_address_that_can_be_used_again(self, browser):
        browser.post(ADDRESS)
        answer = browser.post(reverse("account_login"), {"login": "alice@example.org", "password": PASSWORD})
        assert answer.status_code == 200
        browser.post(
            reverse("account_signup"),
            {"first_name": "Alice", "email": "alice@example.org", "password1": "another long sentence"},
        )
        assert User.objects.get().email == "alice@example.org"

    def test_needs_the_token_of_the_form(self, alice):
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(alice, backend="allauth.account.auth_backends.AuthenticationBackend")
        assert strict.post(ADDRESS).status_code == 403
        assert User.objects.filter(pk=alice.pk).exists()

    def test_asks_again_where_the_password_was_given_too_long_ago(self, client, alice, linked):
        """And is not kept and repeated when it is: whoever gives it sees the question before anything is deleted."""
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        answer = client.post(ADDRESS)
        assert answer["Location"] == ADDRESS
        confirm = client.get(ADDRESS)["Location"]
        answer = client.post(confirm, {"password": PASSWORD, "next": ADDRESS}, follow=True)
        assert "Delete your account and every copy?" in words(answer)
        assert User.objects.filter(pk=alice.pk).exists()


class TestAStranger:
    def test_loses_nothing(self, browser, alice, sam, stella, endpoint, provider, linked):
        strangers = leavers.give_everything(sam, stella, endpoint, provider)
        browser.post(ADDRESS)
        assert list(User.objects.exclude(pk=stella.pk)) == [sam]
        assert set(Connection.objects.values_list("user", flat=True)) == {sam.pk}
        assert Record.objects.filter(user=sam).count() == 3
        assert strangers.get(reverse("settings")).status_code == 200

    def test_closes_their_own_account_only(self, alice, sam, linked):
        leavers.sign_in(sam).post(ADDRESS, {"user": str(alice.pk), "email": alice.email})
        assert list(User.objects.all()) == [alice]
        assert Record.objects.filter(user=alice).count() == 3


class TestAnAnonymousVisitor:
    def test_is_asked_to_sign_in(self, client):
        assert client.get(ADDRESS)["Location"] == f"{reverse('account_login')}?next={ADDRESS}"

    def test_changes_nothing(self, client, alice, linked):
        before = leavers.rows()
        assert client.post(ADDRESS)["Location"] == "/"
        assert leavers.rows() == before
