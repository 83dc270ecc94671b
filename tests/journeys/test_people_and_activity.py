"""People, Activity, and the file of Activity in a real browser, for an account with records of two people."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from apps.audit.recording import Actor, EventType
from apps.connections import connection_events
from tests.connections.conftest import BACKEND
from tests.records.linked import make_connection, make_endpoint
from tests.records.several_people import CHILDS, HERS, is_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def hers(alice: User, live_server: LiveServer, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Pages of Alice's, who has her own record and her child's, of which the permission was renewed."""
    make_connection(alice, make_endpoint())
    endpoint = make_endpoint("https://other.example/r4")
    endpoint.providers.update(name="Riverside Children\N{RIGHT SINGLE QUOTATION MARK}s Hospital and Clinics")
    childs = make_connection(alice, endpoint)
    is_of(childs, CHILDS, "2019-01-02")
    for _time in range(3):
        connection_events.note_connection(
            EventType.TOKENS_REFRESHED, childs, at=timezone.now(), actor=Actor.system("x")
        )
    client = Client()
    client.force_login(alice, backend=BACKEND)

    def make(**how: object) -> Page:
        page = new_page(**how)
        session = client.cookies["sessionid"].value
        page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        return page

    return make


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
class TestThePages:
    def test_have_nothing_that_axe_finds_also_with_letters_twice_as_large(
        self,
        live_server: LiveServer,
        hers: Callable[..., Page],
        assert_accessible: Callable[[Page], None],
        width: int,
        scheme: str,
    ):
        page = hers(width=width, color_scheme=scheme)
        for name in ("people", "activity"):
            page.goto(f"{live_server.url}{reverse(name)}")
            for summary in page.locator("main summary").all():
                summary.click()
            assert_accessible(page)
            page.evaluate("document.documentElement.style.fontSize = '200%'")
            assert_accessible(page)


class TestTheButton:
    def test_saves_all_activity_as_a_file(self, live_server: LiveServer, hers: Callable[..., Page], tmp_path: Path):
        page = hers(java_script_enabled=False)
        page.goto(f"{live_server.url}{reverse('activity')}")
        with page.expect_download() as coming:
            page.get_by_role("button", name="Save all activity as a CSV file").click()
        assert coming.value.suggested_filename == f"holdfast-activity-{timezone.localdate():%Y-%m-%d}.csv"
        coming.value.save_as(tmp_path / "saved.csv")
        with (tmp_path / "saved.csv").open(encoding="utf-8-sig", newline="") as file:
            happened = [line["What happened"] for line in csv.DictReader(file)]
        assert happened[0] == "Activity saved as a file"
        assert happened.count("Permission renewed") == 3


class TestSomebodyWhoReadsForTwo:
    def test_finds_them_by_settings_and_each_one_s_record(self, live_server: LiveServer, hers: Callable[..., Page]):
        page = hers(width=360)
        page.goto(f"{live_server.url}{reverse('settings')}")
        page.locator("main").get_by_role("link", name="People").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("People")
        page.get_by_role("link", name=re.compile(f"See this record ?: {CHILDS}")).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your record")
        expect(page.get_by_role("navigation", name="Whose record?")).to_contain_text(CHILDS)
        expect(page.get_by_text(HERS)).to_have_count(0)
