"""A patient links a record over the patient access API, in a real browser, against the sandbox."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.connections.models import Connection
from apps.records.models import Record
from development.control import Sandbox
from tests.journeys.walking import PROVIDER, VERSIONS, Walk, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


# Whom the sandbox's account "ruth" is about: invented from a fixed seed, in both versions.
NAME, BORN = "Ruth Ann Alder", "February 11, 1963"


@pytest.mark.parametrize("version", VERSIONS)
class TestLinkingARecord:
    @pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
    def test_ends_with_the_person_the_sandbox_holds(
        self,
        version: str,
        scripts: bool,
        site: str,
        sandbox: Sandbox,
        new_page: Callable[..., Page],
        signed_in: Callable[[Page], None],
    ) -> None:
        page = new_page(width=360, java_script_enabled=scripts)
        signed_in(page)
        walk = Walk(page, site)
        walk.go_to_confirm(version)
        expect(page.get_by_role("main")).to_contain_text(NAME)
        expect(page.get_by_role("main")).to_contain_text(BORN)
        assert Record.objects.count() == 0
        walk.press("Yes, get this record")
        walk.expect_heading(f"Your record from {PROVIDER}", within_seconds=40)
        expect(page.get_by_role("main")).to_contain_text(NAME)
        expect(page.get_by_role("main")).to_contain_text(BORN)
        assert Connection.objects.get().status == Connection.Status.ACTIVE

    def test_can_be_done_with_the_keyboard_alone(
        self, version: str, site: str, sandbox: Sandbox, page: Page, signed_in: Callable[[Page], None]
    ) -> None:
        signed_in(page)
        Walk(page, site).find_provider(version)
        tab_to(page, f"Continue to {PROVIDER}")
        page.keyboard.press("Enter")
        expect(page.get_by_label("User name")).to_be_visible()
        tab_to(page, "username")
        page.keyboard.type("ruth")
        page.keyboard.press("Tab")
        page.keyboard.type("ruth-pass-1")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Allow", exact=True)).to_be_visible()
        tab_to(page, "Allow")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Is this the right person?")
        tab_to(page, "Yes, get this record")
        page.keyboard.press("Enter")
        Walk(page, site).expect_heading(f"Your record from {PROVIDER}", within_seconds=40)
