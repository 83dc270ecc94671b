"""Pages for errors."""

import re
from html import unescape
from uuid import uuid4

import pytest
import redis
from django.db import InterfaceError, InternalError, OperationalError, ProgrammingError, connection
from django.test import Client, RequestFactory
from django.urls import reverse
from psycopg.errors import ReadOnlySqlTransaction

from apps.portal.views import errors
from tests.connections.conftest import BACKEND

pytestmark = pytest.mark.django_db


def answer_to(client, monkeypatch, error):
    """What a visitor gets where a view raises this."""

    def raise_it(*_request):
        raise error

    monkeypatch.setattr("apps.portal.views.home.render", raise_it)
    client.raise_request_exception = False
    return client.get("/")


def read_only():
    """What Django makes of it where the database can only be read."""
    error = InternalError("Quillfeather")
    error.__cause__ = ReadOnlySqlTransaction("Quillfeather")
    return error


def reads(client):
    return client.get(reverse("connections"))


def sends(client):
    return client.post(reverse("confirm", args=[uuid4()]), {"candidate": "0"})


def comes_back(client):
    return client.get(f"/connect/return/{uuid4()}/", {"code": "code-canary", "state": "s" * 43})


def main_of(answer):
    """What the page itself says, without its frame."""
    inside = answer.content.decode().split("<main", 1)[1].split(">", 1)[1].split("</main>")[0]
    said = " ".join(unescape(re.sub(r"<[^>]+>", " ", inside)).split())
    return said.split(" If you need medical help now")[0]


class Deaf:
    """From when it begins, every statement fails as with a database that has gone."""

    is_deaf = False

    def begins(self):
        self.is_deaf = True

    def __call__(self, execute, *statement):
        if self.is_deaf:
            raise OperationalError
        return execute(*statement)


@pytest.fixture
def deaf_database(db):
    deaf = Deaf()
    with connection.execute_wrapper(deaf):
        yield deaf


class TestErrorPages:
    def test_for_an_address_that_does_not_exist(self, client):
        response = client.get("/no/such/page/")
        assert response.status_code == 404
        assert "We cannot find this page" in response.content.decode()
        assert "/no/such/page/" not in response.content.decode()

    def test_for_a_form_that_is_out_of_date(self, alice):
        client = Client(enforce_csrf_checks=True)
        client.force_login(alice)
        response = client.post(reverse("set_language"), {"language": "es"})
        assert response.status_code == 403
        assert "We did not do anything." in response.content.decode()

    def test_for_a_form_leads_back_to_where_it_stood(self, alice):
        client = Client(enforce_csrf_checks=True)
        client.force_login(alice)
        client.cookies["csrftoken"] = "a" * 32
        page = client.post(reverse("set_language"), headers={"Referer": "http://testserver/settings/?x=1"})
        assert 'class="button" href="/settings/?x=1"' in page.content.decode()
        elsewhere = client.post(reverse("set_language"), headers={"Referer": "http://evil.example/settings/"})
        assert 'class="button" href="/settings/"' not in elsewhere.content.decode()

    def test_for_a_browser_without_cookies_says_so(self, db):
        page = Client(enforce_csrf_checks=True).post(reverse("account_login"))
        assert page.status_code == 403
        assert "Allow cookies for Holdfast" in page.content.decode()

    def test_for_what_nobody_can_read(self, client, settings):
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
        page = client.post(reverse("account_login"), {"login": "a" * 100})
        assert page.status_code == 400
        assert "We could not read what your browser sent" in page.content.decode()

    def test_for_a_host_that_is_not_ours_names_nothing_of_it(self, client, settings):
        settings.SECURE_SSL_REDIRECT = True  # then the outermost but one refuses it
        page = client.get("/", headers={"Host": "evil.example"})
        assert page.status_code == 400
        assert "evil.example" not in page.content.decode()
        assert "frame-ancestors 'none'" in page["Content-Security-Policy"]

    def test_for_our_own_failure_needs_neither_database_nor_session(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            response = errors.failed(RequestFactory().get("/"))
        assert response.status_code == 500
        assert "Your record is safe." in response.content.decode()

    @pytest.mark.parametrize(
        "away",
        [
            OperationalError("Quillfeather"),
            InterfaceError("Quillfeather"),
            redis.ConnectionError("Quillfeather"),
            redis.OutOfMemoryError("Quillfeather"),
            redis.ReadOnlyError("Quillfeather"),
            redis.ResponseError("MISCONF Quillfeather"),
            redis.ResponseError("NOREPLICAS Quillfeather"),
            redis.TimeoutError("Quillfeather"),
            read_only(),
        ],
    )
    def test_for_a_server_of_ours_that_is_away_says_that_it_passes_and_when_to_come_again(
        self, client, monkeypatch, away
    ):
        answer = answer_to(client, monkeypatch, away)
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        page = answer.content.decode()
        assert "Try again in a minute." in page
        assert "Quillfeather" not in page

    @pytest.mark.parametrize("visit", [reads, sends, comes_back])
    def test_for_a_server_of_ours_that_is_away_is_true_whatever_was_asked(self, alice, deaf_database, visit):
        client = Client(raise_request_exception=False)
        client.force_login(alice, backend=BACKEND)
        deaf_database.begins()
        answer = visit(client)
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        assert main_of(answer) == (
            "Part of Holdfast is not answering right now Your record is safe. Try again in a minute. If you just sent "
            "something, or signed in at a provider, it may not have gone through. Check first, and do it again if it "
            "did not. Home"
        )

    @pytest.mark.parametrize(
        ("address", "status"),
        [
            ("/connect/return/6f1d2c3b-4a59-4e68-9b7c-8d0e1f2a3b4c/", 503),
            ("/connect/return/elsewhere/", 404),
            ("/connect/launch/elsewhere/", 404),
        ],
    )
    def test_at_an_address_that_a_provider_filled_names_it_to_nobody(self, deaf_database, address, status):
        client = Client(raise_request_exception=False)
        deaf_database.begins()
        answer = client.get(address, {"code": "code-canary", "state": "s" * 43, "iss": "https://a.example"})
        assert (answer.status_code, answer["Referrer-Policy"]) == (status, "no-referrer")
        assert "code-canary" not in answer.content.decode()

    @pytest.mark.parametrize("address", ["/connect/return/elsewhere/", "/connect/launch/elsewhere/"])
    def test_at_an_address_that_a_provider_filled_has_no_form_that_a_browser_would_send_from_nowhere(
        self, client, alice, address
    ):
        client.force_login(alice)
        page = client.get(address).content.decode()
        assert "<form" not in page
        assert page.count(reverse("account_logout")) == 2  # to the page that asks, wide and narrow
        assert "<form" in client.get("/elsewhere/").content.decode()

    def test_for_a_host_that_is_not_ours_names_what_a_provider_filled_to_nobody(self, client, settings):
        settings.SECURE_SSL_REDIRECT = True
        answer = client.get(f"/connect/return/{uuid4()}/?code=code-canary", headers={"Host": "evil.example"})
        assert (answer.status_code, answer["Referrer-Policy"]) == (400, "no-referrer")

    @pytest.mark.parametrize(
        "ours", [redis.ResponseError("Quillfeather"), ProgrammingError("Quillfeather"), InternalError("Quillfeather")]
    )
    def test_for_what_a_server_of_ours_refuses_says_nothing_of_passing(self, client, monkeypatch, ours):
        answer = answer_to(client, monkeypatch, ours)
        assert (answer.status_code, answer.has_header("Retry-After")) == (500, False)
        assert "Quillfeather" not in answer.content.decode()

    @pytest.mark.parametrize(
        ("view", "status"), [(errors.unreadable, 400), (errors.forbidden, 403), (errors.too_many_tries, 429)]
    )
    def test_repeat_nothing_of_the_error(self, rf, alice, view, status):
        request = rf.get("/")
        request.user = alice
        response = view(request, ValueError("Quillfeather"))
        assert response.status_code == status
        assert "Quillfeather" not in response.content.decode()


class TestTheAddressOfAButton:
    @pytest.mark.parametrize("name", ["choose_grave_news", "set_language", "wish"])
    def test_is_a_page_that_says_that_nothing_was_done(self, hers, alice, name):
        answer = hers.get(reverse(name), {"sensitive": "show"})
        assert (answer.status_code, answer["Allow"]) == (405, "POST")
        assert main_of(answer).startswith("Please press the button again We did not do anything.")
        alice.refresh_from_db()
        assert alice.asks_before_grave_news

    def test_is_where_somebody_ends_who_was_signed_out_and_has_a_page(self, client, alice):
        signed_out = client.post(reverse("choose_grave_news"), {"sensitive": "show"})
        client.force_login(alice, backend=BACKEND)
        assert "We did not do anything" in main_of(client.get(signed_out["Location"], follow=True))

    def test_says_no_more_to_a_stranger(self, client):
        answer = client.get(reverse("set_language"))
        assert answer.status_code == 405
        assert reverse("settings") not in answer.content.decode()
