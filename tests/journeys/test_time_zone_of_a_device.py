"""The button that takes over the device's time zone, on a page that shows times."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.accounts import account_events
from apps.accounts.models import User
from apps.audit.recording import EventType
from tests.journeys.test_account_pages import sign_in_by_cookie

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class TestTheButton:
    @pytest.fixture
    def activity(self, live_server: LiveServer, new_page: Callable[..., Page], alice: User) -> Callable[..., Page]:
        account_events.record(EventType.USER_WARNINGS_CHOSEN, alice, at=datetime(2026, 11, 20, 9, 40, tzinfo=UTC))

        def opened(**options: object) -> Page:
            page = new_page(width=360, **options)
            sign_in_by_cookie(page, live_server.url, alice)
            page.goto(f"{live_server.url}{reverse('activity')}")
            return page

        return opened

    def test_is_one_press(self, activity: Callable[..., Page], alice: User, assert_accessible: Callable[[Page], None]):
        page = activity(timezone_id="America/Phoenix")
        assert_accessible(page)
        page.get_by_role("button", name="Use the time zone of this device").click()
        expect(page.get_by_text("Times are now in the time zone of this device.")).to_be_visible()
        expect(page.get_by_text("Times are in UTC")).to_have_count(0)
        expect(page.get_by_role("heading", level=1)).to_have_text("Activity")
        alice.refresh_from_db()
        assert alice.time_zone == "America/Phoenix"

    @pytest.mark.parametrize("options", [{"java_script_enabled": False}, {"timezone_id": "UTC"}])
    def test_is_not_there_where_no_script_runs_or_the_device_has_no_zone(
        self, activity: Callable[..., Page], options: dict[str, object]
    ):
        page = activity(**options)
        expect(page.get_by_role("link", name="Choose your time zone")).to_be_visible()
        expect(page.get_by_role("button", name="Use the time zone of this device")).to_be_hidden()
