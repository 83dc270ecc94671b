"""Browsers and caches keep no page of somebody who is signed in."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from apps.accounts.middleware import NoStoreMiddleware
from apps.accounts.models import User
from apps.accounts.sessions import SessionStore

pytestmark = pytest.mark.django_db


class TestAPageOfSomebodySignedIn:
    @pytest.mark.parametrize("name", ["settings", "help", "notice", "home"])
    def test_is_not_stored(self, alice: User, signed_in: Callable[[User], Client], name: str):
        assert signed_in(alice).get(reverse(name))["Cache-Control"] == "no-store, private"

    def test_is_not_stored_where_it_does_not_exist(self, alice: User, signed_in: Callable[[User], Client]):
        assert signed_in(alice).get("/no-such-page/")["Cache-Control"] == "no-store, private"


class TestAPageOfAFailure:
    def test_is_not_stored_and_asks_the_database_for_nothing(self, rf: RequestFactory, django_assert_num_queries: Any):
        request: Any = rf.get("/settings/")
        request.session, request.user = SessionStore("somebodys-session-key"), SimpleLazyObject(lambda: 1 / 0)
        with django_assert_num_queries(0):
            page = NoStoreMiddleware(lambda _request: HttpResponse(status=500))(request)
        assert page["Cache-Control"] == "no-store, private"


class TestAPageOfSomebodyHalfWay:
    def test_is_not_stored(self, client: Client):
        client.post(reverse("account_signup"), {"email": "ann@example.org", "password1": "correct horse battery"})
        page = client.get(reverse("account_email_verification_sent"))
        assert b"ann@example.org" in page.content
        assert page["Cache-Control"] == "no-store, private"


class TestAPageOfAStranger:
    def test_may_be_stored(self, client: Client):
        assert "no-store" not in client.get(reverse("notice")).headers.get("Cache-Control", "")


class TestAPartOfAPageAfterTheSessionLapsed:
    @pytest.mark.parametrize("path", ["/providers/?q=harbor", "/connections/"])
    def test_has_the_page_loaded_again_instead_of_the_sign_in_page_in_its_place(self, client: Client, path: str):
        part = client.get(path, headers={"HX-Request": "true"})
        assert (part.status_code, part["HX-Refresh"], part.content) == (200, "true", b"")

    def test_is_a_page_to_sign_in_on_for_a_browser_without_scripts(self, client: Client):
        assert client.get("/providers/")["Location"] == "/accounts/login/?next=/providers/"
