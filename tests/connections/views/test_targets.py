"""Links that stand alone on pages of connections are large enough for a thumb (WCAG 2.5.8, and our own 44 pixels)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from apps.connections.models import Connection, StoredTokenSet
from apps.directory.models import AuthorizationServer, Endpoint
from tests.fixtures.consent import agree
from tests.journeys.test_account_pages import sign_in
from tests.records.linked import give_tokens, make_connection, make_endpoint

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Links that stand alone on their line: what is before and after each is no text of its block.
ALONE = """all => all.filter(one => one.offsetParent && getComputedStyle(one).display != 'inline')
.map(one => [one.innerText, one.offsetHeight])"""
INLINE = """all => all.filter(one => getComputedStyle(one).display == 'inline').map(one => one.innerText)"""


@pytest.fixture
def lasting(alice: User) -> Connection:
    """On a SMART deployment that has a page of its own for what apps may read, with a known end."""
    now = datetime.now(UTC)
    endpoint = make_endpoint()
    Endpoint.objects.update(interface="smart", dialect="smart")
    endpoint.refresh_from_db()
    AuthorizationServer.objects.update(management_url="https://fhir.example/manage")
    connection = make_connection(alice, endpoint, more_url="https://fhir.example/more", granted_scope="patient/*.read")
    give_tokens(connection, issued_at=now)
    StoredTokenSet.objects.update(refresh_due_at=None, refresh_deadline_at=now + timedelta(hours=40))
    Connection.objects.update(lapses_at=now + timedelta(hours=40))
    return connection


@pytest.fixture
def many(alice: User) -> None:
    """Six that need her."""
    for number in range(6):
        columns: dict[str, Any] = {"status": "needs_reauthorization", "reason": "window_over"}
        make_connection(alice, make_endpoint(f"https://fhir{number}.example/r4"), **columns)


@pytest.mark.parametrize("width", [360, 1280])
class TestALinkThatStandsAlone:
    def test_is_large_enough_on_home(self, live_server: LiveServer, new_page: Callable[..., Page], alice, many, width):
        agree(alice)
        page = new_page(width=width)
        sign_in(page, live_server.url, alice)
        page.goto(f"{live_server.url}/")
        sizes = dict(page.locator("main a").evaluate_all(ALONE))
        assert sizes["3 more need you"] >= 44
        assert page.locator("main a").evaluate_all(INLINE) == []
        assert [name for name, height in sizes.items() if height < 44] == []

    def test_is_large_enough_on_the_page_of_one(
        self, live_server: LiveServer, new_page: Callable[..., Page], alice, lasting, width
    ):
        agree(alice)
        page = new_page(width=width)
        sign_in(page, live_server.url, alice)
        page.goto(f"{live_server.url}/connections/{lasting.pk}/")
        sizes = dict(page.locator("main a").evaluate_all(ALONE))
        assert sizes["Choose when we write to you"] >= 44
        assert sizes["Choose your time zone"] >= 44
        assert page.locator("main a").evaluate_all(INLINE) == []
        assert [name for name, height in sizes.items() if height < 44] == []

    def test_says_within_it_that_it_opens_in_a_new_tab(
        self, live_server: LiveServer, new_page: Callable[..., Page], alice, lasting, width
    ):
        agree(alice)
        page = new_page(width=width)
        sign_in(page, live_server.url, alice)
        page.goto(f"{live_server.url}/connections/{lasting.pk}/")
        links = page.locator("main a[target=_blank]")
        assert links.count() == 2
        for text in links.all_inner_texts():
            assert text.endswith("(opens in a new tab)")
