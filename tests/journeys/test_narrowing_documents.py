"""Finding one document among many on a phone, or with the keyboard alone (patient experience 3.8)."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.journeys.walking import tab_to
from tests.records.linked import make_connection
from tests.records.shelved import keep
from tests.records.viewing.test_narrowing_documents import document

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def visitor(live_server: LiveServer, alice: Any, new_page: Callable[..., Page]) -> Page:
    """Alice's browser, a phone's width, signed in; she has documents of twenty kinds."""
    kinds = [(kind, nth) for kind in range(1, 21) for nth in range(kind)]
    keep(make_connection(alice), *(document(f"{kind}-{nth}", f"Kind {kind}", f"Dr. {nth}") for kind, nth in kinds))
    client = Client()
    client.force_login(alice, backend="allauth.account.auth_backends.AuthenticationBackend")
    page = new_page(width=360)
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    page.goto(f"{live_server.url}/record/documents/")
    return page


class TestTheListOfDocuments:
    def test_is_narrowed_and_widened_by_keyboard_and_says_each_time_what_it_has(
        self, visitor: Page, assert_accessible: Callable[[Page], None]
    ) -> None:
        count = visitor.get_by_role("main").get_by_role("status").first
        expect(count).to_contain_text("210 entries")
        further = visitor.locator("summary", has_text="more: Kind")
        for _press in range(60):
            visitor.keyboard.press("Tab")
            if further.evaluate("fold => fold === document.activeElement"):
                break
        visitor.keyboard.press("Enter")
        tab_to(visitor, "Kind 3")
        visitor.keyboard.press("Enter")
        expect(count).to_contain_text("3 entries")
        assert_accessible(visitor)
        tab_to(visitor, "Dr. 2")
        visitor.keyboard.press("Enter")
        expect(count).to_contain_text("1 entry")
        visitor.get_by_role("link", name=re.compile("Kind 3.*remove")).click()
        expect(count).to_contain_text("18 entries")
        visitor.go_back()
        expect(count).to_contain_text("1 entry")
        assert visitor.evaluate("document.documentElement.scrollWidth") <= 360
