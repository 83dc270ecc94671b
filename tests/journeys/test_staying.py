"""The button that prolongs a session which is about to end, beside a form that is half filled in."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import Session, User
from tests.journeys.test_account_pages import sign_in_by_cookie

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class TestStaying:
    @pytest.fixture
    def half_filled_in(self, live_server: LiveServer, new_page: Callable[..., Page], alice: User) -> Page:
        page = new_page(width=360)
        sign_in_by_cookie(page, live_server.url, alice)
        Session.objects.update(expires_at=datetime.now(UTC) + timedelta(minutes=5))
        page.goto(f"{live_server.url}{reverse('account_email')}")
        page.get_by_role("main").get_by_role("textbox").first.fill("half typ")
        return page

    def test_keeps_what_was_typed(self, half_filled_in: Page, assert_accessible: Callable[[Page], None]):
        half_filled_in.get_by_role("button", name="Stay").click()
        expect(half_filled_in.get_by_text("You are still signed in.")).to_be_visible()
        expect(half_filled_in.get_by_text("You will be logged out")).to_be_hidden()
        expect(half_filled_in.locator("#stays")).to_be_focused()
        expect(half_filled_in.get_by_role("main").get_by_role("textbox").first).to_have_value("half typ")
        assert_accessible(half_filled_in)
        assert Session.objects.get().expires_at > datetime.now(UTC) + timedelta(hours=1)

    def test_too_late_leads_to_signing_in(self, half_filled_in: Page):
        Session.objects.update(expires_at=datetime.now(UTC) - timedelta(minutes=5))
        half_filled_in.get_by_role("button", name="Stay").click()
        expect(half_filled_in.get_by_role("heading", level=1)).to_have_text("Sign in")
